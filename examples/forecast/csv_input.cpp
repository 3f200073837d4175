// Tables from CSV files: what is told by the file, by the settings, by the run that asks.
#include <algorithm>

#include <axisgrad/nn/data/csv_guess.hpp>
#include <axisgrad/nn/data/csv_number.hpp>

#include "series.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string quoted(const Names& names) {
  std::string text;
  for (const std::string& name : names)
    if (!name.empty()) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

std::string place(const ag::CsvCell& cell) {
  return "line " + std::to_string(cell.line) + ", column " + std::to_string(cell.column) + ": '" +
         cell.text + "'";
}

class CsvInput {
 public:
  CsvInput(const std::string& path, const Settings& settings, const TableForm* known)
      : settings_(settings),
        known_(known),
        guess_(ag::guess_csv_file(path)),
        series_{path, {}, {}} {}

  Series read() {
    check_header();
    choose_numbers();
    const Names dates = date_columns();
    ag::CsvOptions& o = guess_.options;
    o.missing = missing_policy(settings_);
    o.missing_words.insert(o.missing_words.end(), settings_.missing_words.begin(),
                           settings_.missing_words.end());
    o.columns = settings_.columns;
    ag::Table table = ag::read_csv(series_.path, o);
    if (table.encoding != "UTF-8")
      note("'" + series_.path + "' is not UTF-8: read as " + table.encoding);
    if (!dates.empty()) read_dates(table, dates);
    if (!settings_.columns.empty()) table = table.select(settings_.columns);
    if (table.names.empty()) ag::fail("forecast", "'", series_.path, "' has no column of numbers");
    series_.names = std::move(table.names);
    series_.values = std::move(table.values);
    return std::move(series_);
  }

 private:
  void note(std::string text) { series_.notes.push_back(std::move(text)); }

  void check_header() {
    const Size line = guess_.options.skip_lines + 1;
    if (settings_.header && !guess_.options.header && known_)
      ag::fail("forecast", "'", series_.path, "', line ", line,
               " holds numbers and dates only, but should name the columns as the table of the run "
               "did");
    if (settings_.header && !guess_.options.header)
      ag::fail("forecast", "'", series_.path, "', line ", line,
               " holds numbers and dates only: a first row should name the columns; --no-header "
               "names them c1, c2, ...");
    if (!settings_.header && guess_.options.header)
      ag::fail("forecast", "'", series_.path, "', line ", line, " names columns (",
               quoted(guess_.names), "), but --no-header says that no line does");
    if (line > 1)
      note("the names stand on line " + std::to_string(line) + "; what is above is passed over");
  }

  // The option first, then the run, then the table itself.
  void choose_numbers() {
    ag::CsvOptions& o = guess_.options;
    ag::NumberForm form{o.decimal, o.thousands};
    if (!settings_.numbers.empty())
      form = ag::number_form(settings_.numbers);
    else if (known_ && !known_->numbers.empty())
      form = as_known(form);
    else if (!guess_.unclear.text.empty())
      say_unclear(form);
    o.decimal = form.decimal, o.thousands = form.thousands;
    const bool told = guess_.signs || !settings_.numbers.empty();
    series_.form.numbers = told ? example(form) : "";
  }
  ag::NumberForm as_known(ag::NumberForm here) const {
    const ag::NumberForm known = ag::number_form(known_->numbers);
    const bool told = !guess_.told.text.empty();
    if (told && here.decimal != known.decimal)
      ag::fail("forecast", "'", series_.path, "', ", place(guess_.told), " is a number as in ",
               example(here), ", but the run was trained on numbers as ", known_->numbers,
               "; --numbers ", example(here), " if this table is right");
    if (known.thousands == '\0' && !guess_.unclear.text.empty() && here.decimal != known.decimal)
      refuse_unclear(here);
    // A sign between thousands that was not needed before, where it cannot be another one.
    const bool plain = here.thousands == ' ' || here.thousands == '\'';
    if (known.thousands == '\0' && (told || plain)) return {known.decimal, here.thousands};
    return known;
  }
  // The form that the number has if its sign is the other one.
  ag::NumberForm otherwise(ag::NumberForm form) const {
    const std::string& cell = guess_.unclear.text;
    const char sign = cell[cell.find_first_of(".,")], other = sign == '.' ? ',' : '.';
    return sign == form.decimal ? ag::NumberForm{other, sign} : ag::NumberForm{sign};
  }
  void say_unclear(ag::NumberForm form) {
    if (known_ || guess_.doubtful) refuse_unclear(form);
    const ag::NumberForm other = otherwise(form);
    note(place(guess_.unclear) + " is read with a " +
         (other.thousands ? "decimal sign" : "sign between thousands") +
         ", which nothing in the table tells for sure; if that is wrong, --numbers " +
         example(other));
  }
  [[noreturn]] void refuse_unclear(ag::NumberForm form) const {
    ag::fail("forecast", "'", series_.path, "', ", place(guess_.unclear),
             " may have a decimal sign or one between thousands: say --numbers ", example(form),
             " or --numbers ", example(otherwise(form)));
  }

  // The columns whose cells, put together, are the dates; what they are called is added to the
  // columns of text.
  Names date_columns() {
    Names& text = guess_.options.text;
    Names chosen = settings_.date_column;
    if (chosen == Names{""} && !has(guess_.names, "")) chosen.clear();  // it has a name by now
    for (const std::string& name : chosen)
      if (!has(guess_.names, name))
        ag::fail("forecast", "'", series_.path, "' has no column '", name,
                 "' for the dates; there are: ", quoted(guess_.names));
    if (chosen.empty() && !text.empty()) {
      chosen = {text[0]};
      if (guess_.days && !guess_.times.empty()) chosen.push_back(guess_.times[0]);
    } else if (chosen.empty() && !guess_.clocks.empty()) {
      chosen = {guess_.clocks[0]};
      note("column '" + chosen[0] + "' is read as the time since 1970; --date-column says another");
    }
    for (const std::string& name : text)
      if (!has(chosen, name) && !has(settings_.columns, name))
        note("column '" + name + "' holds dates as well: it is left out");
    for (const std::string& name : chosen)
      if (!has(text, name)) text.push_back(name);
    return chosen;
  }

  void read_dates(const ag::Table& table, const Names& columns) {
    std::vector<std::string> cells = table.text(columns[0]);
    std::string name = columns[0].empty() ? "date" : columns[0];
    for (std::size_t c = 1; c < columns.size(); ++c) {
      const auto& more = table.text(columns[c]);
      name += ' ' + columns[c];
      for (std::size_t r = 0; r < cells.size(); ++r) cells[r] += ' ' + more[r];
    }
    std::string order = settings_.date_order;
    if (order.empty() && known_) order = known_->date_order;
    series_.dates = read_timeline(
        cells, name, {.order = order, .lines = &table.lines, .advice = ", or say --date-order"});
    series_.date_columns = columns;
    series_.notes.insert(series_.notes.end(), series_.dates->notes.begin(),
                         series_.dates->notes.end());
    if (!series_.dates->numbers)
      series_.form.date_order = ag::DateForm(series_.dates->dates.pattern).order();
  }

  const Settings& settings_;
  const TableForm* known_;
  ag::CsvGuess guess_;
  Series series_;
};

}  // namespace

Series read_csv_file(const std::string& path, const Settings& settings, const TableForm* known) {
  return CsvInput(path, settings, known).read();
}

}  // namespace forecast
