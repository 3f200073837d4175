// A page of HTML that needs nothing else: readable in print, at the width of a phone, and by ear.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "picture.hpp"

namespace forecast {

/// The characters that HTML gives a meaning, written so that they have none.
[[nodiscard]] std::string escaped(std::string_view text);

struct TableOptions {
  std::string marked{};  // the row of this name is set off
  bool words = false;    // all columns hold words
};

class Page {
 public:
  explicit Page(const std::string& title);
  void heading(const std::string& text);
  /// `html` may hold tags; what comes from a file goes through escaped() first.
  void paragraph(const std::string& html, const std::string& css_class = "");
  void list(const std::vector<std::string>& items);
  /// The first column holds names, the others numbers.
  void table(const std::vector<std::string>& head,
             const std::vector<std::vector<std::string>>& rows, const TableOptions& options = {});
  /// The drawing itself, not a link to it, with its caption and what it shows in words.
  void picture(const Picture& picture);
  /// One below the other; small ones that follow each other side by side, where there is room.
  void gallery(const std::vector<Picture>& pictures);
  [[nodiscard]] std::string text() const { return text_ + "</main>\n</body>\n</html>\n"; }

 private:
  std::string text_;
};

}  // namespace forecast
