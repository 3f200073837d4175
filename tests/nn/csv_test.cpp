// CSV as people have it: other signs, other separators, gaps; and what is worked out from a table.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include <axisgrad/nn/data/csv_guess.hpp>

#include "../temporary_folder.hpp"

using namespace axisgrad;
using Names = std::vector<std::string>;

namespace {

// Spaces at which no line breaks: U+00A0 and U+202F.
const std::string no_break = "\xC2\xA0", narrow = "\xE2\x80\xAF";

std::vector<double> numbers(std::string_view text, const CsvOptions& o) {
  const Table t = parse_csv(text, o);
  return {t.values.begin(), t.values.end()};
}
CsvOptions detect_csv(std::string_view text) { return guess_csv(text).options; }
// Read with what guess_csv makes of it.
Table detected(std::string_view text) { return parse_csv(text, detect_csv(text)); }
std::vector<double> values(const Table& t) { return {t.values.begin(), t.values.end()}; }

}  // namespace

TEST_CASE("C74: semicolons, decimal comma and thousands point, said or found out") {
  const std::string_view text = "t;v\n1;1.299,99\n2;0,5\n";
  const std::vector<double> right{1, 1299.99, 2, .5};
  CHECK(numbers(text, {.separator = ';', .decimal = ',', .thousands = '.'}) == right);
  CHECK(values(detected(text)) == right);
  // Without the thousands sign: an error, never 1.299 or 129999.
  CHECK_THROWS_WITH(
      (void)parse_csv(text, {.separator = ';', .decimal = ','}),
      "[read_csv] text, line 2, column 2 ('v'): '1.299,99' is not a number in the form 1234,5");
}

TEST_CASE("numbers with other signs are read whole, or not at all") {
  const CsvOptions comma{.separator = ';', .decimal = ',', .thousands = '.'},
      space{.separator = ';', .thousands = ' '}, apostrophe{.separator = ';', .thousands = '\''};
  CHECK(numbers("v\n-1.234.567,8\n+12,5e3\n,5\n4,\n999\n", comma) ==
        std::vector<double>{-1234567.8, 12500, .5, 4, 999});
  CHECK(numbers("v\n1 234 567.8\n1" + no_break + "234.5\n-1" + narrow + "234\n", space) ==
        std::vector<double>{1234567.8, 1234.5, -1234});
  CHECK(numbers("v\n1'234'567\n0.5\n", apostrophe) == std::vector<double>{1234567, .5});
  for (const char* bad : {"12.34,5", "1234.567,8", "1.23", "1,2,3", "1,234.5", "1..234", ".234,5",
                          "1.234.", "1,5x", "--1", "1.2345"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH((void)parse_csv("v\n" + std::string(bad) + "\n", comma),
                      doctest::Contains("is not a number"));
  }
  CHECK_THROWS_WITH((void)parse_csv("v\n1\n", {.decimal = ',', .thousands = ','}),
                    "[read_csv] the decimal sign must be '.' or ',' and the thousands sign none or "
                    "another of \". , ' space\", got ',' and ','");
}

TEST_CASE("missing cells: words for them, and the four policies") {
  const std::string_view text = "t,v\n0,1\n1,2\n2,NA\n3,\n4,10\n5,?\n";
  const Names& words = usual_missing_words();
  CHECK_THROWS_WITH((void)parse_csv(text, {.missing_words = words}),
                    "[read_csv] text, line 4, column 2 ('v'): a value is missing ('NA')");
  CHECK_THROWS_WITH((void)parse_csv(text, {.missing = Missing::drop}),
                    "[read_csv] text, line 4, column 2 ('v'): 'NA' is not a number");
  const auto by = [&](Missing missing) {
    return numbers(text, {.missing = missing, .missing_words = words});
  };
  CHECK(by(Missing::forward_fill) == std::vector<double>{0, 1, 1, 2, 2, 2, 3, 2, 4, 10, 5, 10});
  // Continued, but never beyond what was seen above: a long gap would carry it anywhere.
  CHECK(by(Missing::interpolate_past) == std::vector<double>{0, 1, 1, 2, 2, 2, 3, 2, 4, 10, 5, 10});
  CHECK(numbers("v\n9\n1\n4\n\n\n\n\n", {.missing = Missing::interpolate_past}) ==
        std::vector<double>{9, 1, 4});
  CHECK(numbers("t,v\n0,9\n1,1\n2,4\n3,\n4,\n5,\n", {.missing = Missing::interpolate_past}) ==
        std::vector<double>{0, 9, 1, 1, 2, 4, 3, 7, 4, 9, 5, 9});
  CHECK(by(Missing::drop) == std::vector<double>{0, 1, 1, 2, 4, 10});
  // One value above: no line yet. None: an error, but for drop.
  CHECK(numbers("v\n5\n\n7\n", {.missing = Missing::interpolate_past}) ==
        std::vector<double>{5, 5, 7});
  CHECK_THROWS_WITH((void)parse_csv("v,w\n,1\n", {.missing = Missing::interpolate_past}),
                    "[read_csv] text, line 2, column 1 ('v'): a value is missing, with none above "
                    "it");
  CHECK(numbers("v,w\n,1\n2,3\n", {.missing = Missing::drop}) == std::vector<double>{2, 3});
  CHECK_THROWS_WITH((void)parse_csv("v,w\n,1\n", {.missing = Missing::drop}),
                    "[read_csv] text has names on line 1, but no rows without a missing value");
  // The text of a dropped row goes with it.
  const Table t = parse_csv("d,v\nmon,1\ntue,\nwed,3\n", {.text = {"d"}, .missing = Missing::drop});
  CHECK(t.text("d") == Names{"mon", "wed"});
}

TEST_CASE("only some columns: what stands in the others does not matter") {
  const std::string_view text = "date,station,a,b\nmon,Berlin,1,2\ntue,Bonn,3,4\n";
  CHECK_THROWS_WITH((void)parse_csv(text, {.text = {"date"}}),
                    "[read_csv] text, line 2, column 2 ('station'): 'Berlin' is not a number");
  const Table t = parse_csv(text, {.text = {"date"}, .columns = {"b"}});
  CHECK(t.names == Names{"b"});
  CHECK(values(t) == std::vector<double>{2, 4});
  CHECK(t.text("date") == Names{"mon", "tue"});
  CHECK_THROWS_WITH((void)parse_csv(text, {.columns = {"c"}}),
                    "[read_csv] text has no column 'c' to read; there are: 'date', 'station', "
                    "'a', 'b'");
}

TEST_CASE("guess_csv: separators") {
  CHECK(detect_csv("a,b\n1,2\n").separator == ',');
  CHECK(detect_csv("a;b\n1,5;2,5\n").separator == ';');
  CHECK(detect_csv("a\tb\n1\t2\n").separator == '\t');
  CHECK(detect_csv("a|b\n1|2\n").separator == '|');
  CHECK(detect_csv("\xEF\xBB\xBF"
                   "a;b\r\n1;2\r\n")
            .separator == ';');
  // A separator within quotes, or in one line only, is none.
  CHECK(detect_csv("\"a;b;c\",d\n1,2\n").separator == ',');
  CHECK(detect_csv("a,b;c\n1,2\n3,4\n").separator == ',');
  CHECK(values(detected("load\n1,5\n2,5\n")) == std::vector<double>{1.5, 2.5});
}

TEST_CASE("guess_csv: decimal and thousands signs, from numbers that tell") {
  const auto signs = [](std::string_view text) {
    const CsvOptions o = detect_csv(text);
    return std::pair(o.decimal, o.thousands);
  };
  using Signs = std::pair<char, char>;
  CHECK(signs("a;b\n1.5;2\n") == Signs{'.', '\0'});
  CHECK(signs("a;b\n1,5;2\n") == Signs{',', '\0'});
  CHECK(signs("a;b\n1,5;2.000\n") == Signs{',', '.'});  // told by the other column
  CHECK(signs("a;b\n1.234.567;2\n1,5;3\n") == Signs{',', '.'});
  CHECK(signs("a;b\n1,234.5;2\n") == Signs{'.', ','});
  CHECK(signs("a;b\n1.234;2.345\n") == Signs{'.', '\0'});    // nothing tells: a point
  CHECK(signs("a;b\n1.234;2\n980;2\n") == Signs{',', '.'});  // 980 would be 980.000
  CHECK(signs("a;b\n1.234;2\n1980;2\n") == Signs{'.', '\0'});
  CHECK(signs("a;b\n1,234;2\n980;2\n") == Signs{'.', ','});
  CHECK(signs("a;b\n1,234;2,345\n") == Signs{',', '\0'});
  CHECK(signs("a,b\n\"1,003\",12.5\n\"980\",3\n") == Signs{'.', ','});
  CHECK(signs("a,b\n\"1,003\",\"2,104\"\n") == Signs{'.', ','});
  CHECK(signs("a;b\n1.234E5;2\n1.5;2\n") == Signs{'.', '\0'});
  CHECK(signs("a;b\n18.00.00;1,5\n") == Signs{',', '\0'});  // a time is no number
  CHECK(signs("a;b\n1\xE2\x80\x99"
              "234.5;2\n") == Signs{'.', '\''});
  CHECK(signs("a;b\n0.123;2\n") == Signs{'.', '\0'});
  CHECK(signs("a;b\n1 234,5;2\n") == Signs{',', ' '});
  CHECK(signs("a;b\n1'234.5;2\n") == Signs{'.', '\''});
  CHECK(signs("a,b\n\"1,234.5\",2\n") == Signs{'.', ','});
  CHECK(signs("date;v\n01.02.2020;1.234,5\n") == Signs{',', '.'});  // a date is no number
}

TEST_CASE("guess_csv: dates are text, other text is an error that names it") {
  CHECK(detect_csv("date,v\n2016-07-01 00:00:00,1\n").text == Names{"date"});
  CHECK(detect_csv("v;Zeit\n1,5;01.07.2016 13:00\n").text == Names{"Zeit"});
  CHECK(detect_csv("day,v\n20160701,1\n20160702,2\n").text == Names{"day"});
  CHECK(detect_csv("year,v\n2016,1\n2017,2\n").text.empty());
  CHECK(detect_csv("date,v\n2016-07-01,1\nlater,2\n").text.empty());
  CHECK(detect_csv("date,v\n,1\n2016-07-01,2\n").text == Names{"date"});
  CHECK_THROWS_WITH((void)detected("date;station;v\n01.07.2016;Ulm;1,5\n"),
                    "[read_csv] text, line 2, column 2 ('station'): 'Ulm' is not a number");
}

TEST_CASE("guess_csv: tables as they come") {
  // German spreadsheet, French statistics office, an American export, tabs with quotes.
  const Table german = detected(
      "\xEF\xBB\xBF"
      "Datum;Last [kW];Preis\r\n01.01.2020 00:00;1.299,99;-0,5\r\n"
      "01.01.2020 01:00;980,00;12\r\n");
  CHECK(german.names == Names{"Last [kW]", "Preis"});
  CHECK(values(german) == std::vector<double>{1299.99, -.5, 980, 12});
  CHECK(german.text("Datum")[1] == "01.01.2020 01:00");
  CHECK(values(detected("date;prix\n2020-01-01;1" + narrow + "234,5\n2020-01-02;7,0\n")) ==
        std::vector<double>{1234.5, 7});
  CHECK(values(detected(
            "\"Date\",\"Sales\"\n\"1/31/2020\",\"1,234.50\"\n\"2/29/2020\",\"99.00\"\n")) ==
        std::vector<double>{1234.5, 99});
  CHECK(values(detected("a\tb\n\"1\"\t2.5\n3\t\"4\"\n")) == std::vector<double>{1, 2.5, 3, 4});
}

TEST_CASE("guess_csv: columns without a name are left out") {
  // As pandas writes its row numbers; a separator at the end of each line.
  const Table pandas = detected(",date,a\n0,2020-01-01,1\n1,2020-01-02,2\n");
  CHECK(pandas.names == Names{"a"});
  CHECK(values(pandas) == std::vector<double>{1, 2});
  CHECK(values(detected("a;b;\n1;2;\n3;4;\n")) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("guess_csv: a long file is judged by its beginning, whole lines only") {
  std::string text = "a;b\n";
  while (text.size() < 400'000) text += "1,5;2,25\n";
  const CsvOptions o = detect_csv(text);
  CHECK(o.separator == ';');
  CHECK(o.decimal == ',');
  TemporaryFolder folder;
  write_text(folder / "long.csv", text);
  const std::string path = (folder / "long.csv").string();
  CHECK(read_csv(path, guess_csv_file(path).options).rows() ==
        std::count(text.begin(), text.end(), '\n') - 1);
  CHECK_THROWS_WITH((void)guess_csv_file((folder / "none.csv").string()),
                    doctest::Contains("' to find out its form"));
  CHECK_THROWS_WITH((void)guess_csv_file(folder.path().string()),
                    doctest::Contains("' to find out its form"));
  write_text(folder / "empty.csv", "");
  CHECK_THROWS_WITH((void)read_csv((folder / "empty.csv").string()), doctest::Contains("is empty"));
}
