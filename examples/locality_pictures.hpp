/* The pictures of examples/locality, as SVG: where the entries are, how long the rows are, and after how many reads a line of x is read again. */
#pragma once
#include "locality/locality.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

/* An SVG file of 560 x 420 with a title; `ok` is false where it could not be written. */
class Picture {
public:
  Picture(const std::string &file, const std::string &title) : f_(std::fopen(file.c_str(), "w"))
  {
    if (!f_) return;
    std::fprintf(f_, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"420\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"560\" "
                     "height=\"420\" fill=\"white\"/>\n");
    text(280, 24, "middle", title);
  }
  ~Picture() { (void)close(); }
  Picture(const Picture &)            = delete;
  Picture &operator=(const Picture &) = delete;

  bool open() const { return f_; }
  void rect(double x, double y, double width, double height, const std::string &colour)
  {
    std::fprintf(f_, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, colour.c_str());
  }
  void text(double x, double y, const char *anchor, const std::string &words)
  {
    std::string escaped;

    for (char c : words) escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, (unsigned char)c < ' ' ? ' ' : c);
    std::fprintf(f_, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, escaped.c_str());
  }
  bool close()
  {
    bool ok = f_;

    if (!f_) return false;
    std::fprintf(f_, "</svg>\n");
    ok = !std::ferror(f_);
    ok = !std::fclose(f_) && ok;
    f_ = nullptr;
    return ok;
  }

private:
  std::FILE *f_;
};

/* Entries counted in a raster; the darker, the more, on a logarithmic scale. */
inline bool picture_density(const std::string &file, const std::string &title, const goza::Csr &A)
{
  constexpr int most = 128;
  const int     rows = std::max(1, (int)std::min<PetscInt>(most, A.nrows)), cols = std::max(1, (int)std::min<PetscInt>(most, A.ncols));
  const double  long_side = 360 / (double)std::max<PetscInt>(1, std::max(A.nrows, A.ncols)), height = std::max(4.0, long_side * (double)A.nrows),
               width = std::max(4.0, long_side * (double)A.ncols);
  std::vector<double> count((std::size_t)(rows * cols));
  Picture             p(file, title);

  if (!p.open()) return false;
  for (PetscInt i = 0; i < A.nrows; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
      count[(std::size_t)((std::int64_t)i * rows / A.nrows * cols + (std::int64_t)A.col[k] * cols / A.ncols)]++;
  }
  const double largest = std::max(1.0, *std::max_element(count.begin(), count.end())), w = width / cols, h = height / rows, left = 280 - width / 2;

  p.rect(left, 40, width, height, "#f4f4f4");
  for (int i = 0; i < rows; i++) {
    for (int j = 0, end; j < cols; j = end) { // a rectangle for neighbours of one shade
      const auto shade = [&](int at) {
        const double n = count[(std::size_t)(i * cols + at)];

        return n > 0 ? 1 + (int)(6.99 * std::log(n) / std::log(largest + 1)) : 0;
      };
      const int s = shade(j);

      for (end = j + 1; end < cols && shade(end) == s; end++) { }
      if (!s) continue;
      char colour[8];
      std::snprintf(colour, sizeof(colour), "#%02x%02x%02x", 200 - 27 * s, 215 - 24 * s, 240 - 12 * s);
      p.rect(left + w * j, 40 + h * i, w * (end - j) + 0.1, h + 0.1, colour);
    }
  }
  p.text(280, 412, "middle",
         std::to_string(A.nrows) + " rows, " + std::to_string(A.ncols) + " columns; darkest: " + std::to_string((long long)largest) + " entries");
  return p.close();
}

/* Bars beside one another for each label; values are shares. */
struct Bars {
  std::string         name, colour;
  std::vector<double> share;
};

inline bool picture_bars(const std::string &file, const std::string &title, const std::string &below, const std::vector<std::string> &labels,
                         const std::vector<Bars> &bars)
{
  double    largest = 0;
  const int n       = (int)labels.size();
  Picture   p(file, title);

  if (!p.open()) return false;
  for (const Bars &b : bars) {
    for (double s : b.share) largest = std::max(largest, s);
  }
  const double top = largest > 0 ? std::min(1.0, std::ceil(20 * largest) / 20) : 1, slot = 470.0 / std::max(1, n), bar = 0.8 * slot / (double)bars.size();

  for (int k = 0; k <= 4; k++) {
    char percent[16];

    std::snprintf(percent, sizeof(percent), "%.3g %%", 100 * top * k / 4);
    p.rect(60, 360 - 75 * k, 480, 0.5, "#bbb");
    p.text(54, 364 - 75 * k, "end", percent);
  }
  for (std::size_t b = 0; b < bars.size(); b++) {
    for (int k = 0; k < n; k++) {
      const double height = 300 * bars[b].share[(std::size_t)k] / top;

      if (height > 0) p.rect(64 + slot * k + bar * (double)b, 360 - height, bar, height, bars[b].colour);
    }
    p.rect(380, 44 + 18 * (double)b, 10, 10, bars[b].colour);
    p.text(396, 54 + 18 * (double)b, "start", bars[b].name);
  }
  for (int k = 0; k < n; k += 1 + n / 16) p.text(64 + slot * (k + 0.4), 378, "middle", labels[(std::size_t)k]);
  p.text(300, 404, "middle", below);
  return p.close();
}

inline std::string power_range(int k) { return k < 20 ? std::to_string(1 << k) : "2^" + std::to_string(k); }

/* Rows by length: each length where they are few, else by powers of two */
inline bool picture_row_lengths(const std::string &file, const std::string &title, const goza::Csr &A)
{
  PetscInt                 longest = 0;
  std::vector<std::string> labels;
  Bars                     rows{"rows", "#4472c4", {}};

  for (PetscInt i = 0; i < A.nrows; i++) longest = std::max(longest, A.ptr[i + 1] - A.ptr[i]);
  const bool each = longest <= 40;
  const auto bin  = [&](PetscInt n) {
    int k = 0;

    if (each) return (int)n;
    for (; n > 0; n >>= 1) k++;
    return k; // 0: empty; k: from 2^(k - 1)
  };
  for (int k = 0; k <= bin(longest); k++) labels.push_back(each ? std::to_string(k) : k ? power_range(k - 1) : "0");
  rows.share.assign(labels.size(), 0);
  for (PetscInt i = 0; i < A.nrows; i++) rows.share[(std::size_t)bin(A.ptr[i + 1] - A.ptr[i])] += 1 / (double)A.nrows;
  return picture_bars(file, title, each ? "entries in a row" : "entries in a row: from so many up to the next", labels, {rows});
}

/* Shares of the reads of x by the number of reads since the last of the same line; the rest are first reads. */
inline bool picture_intervals(const std::string &file, const std::string &title,
                              const std::vector<std::pair<std::string, const goza::LocalityCounts *>> &orders)
{
  static const char *const colours[] = {"#c0504d", "#4472c4"};
  int                      last      = 0;
  std::vector<std::string> labels;
  std::vector<Bars>        bars;

  for (const auto &[name, counts] : orders) {
    for (int k = 0; k < goza::reuse_bins; k++) last = counts->intervals[(std::size_t)k] ? std::max(last, k) : last;
  }
  for (int k = 0; k <= last; k++) labels.push_back(power_range(k));
  for (const auto &[name, counts] : orders) {
    Bars b{name, colours[bars.size() % 2], {}};

    for (int k = 0; k <= last; k++) b.share.push_back(counts->reads ? (double)counts->intervals[(std::size_t)k] / (double)counts->reads : 0);
    bars.push_back(b);
  }
  return picture_bars(file, title, "reads until the same line is read again: from so many up to the next", labels, bars);
}
