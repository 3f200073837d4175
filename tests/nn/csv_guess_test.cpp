// What is told of a table by its first lines: names, titles, dates, encodings.
#include <string>

#include <doctest/doctest.h>

#include <axisgrad/nn/data/csv_guess.hpp>
#include <axisgrad/nn/data/csv_number.hpp>
#include <axisgrad/nn/data/text_encoding.hpp>

using namespace axisgrad;
using Names = std::vector<std::string>;

namespace {

Table guessed(std::string_view text) { return parse_csv(text, guess_csv(text).options); }
std::vector<double> values(const Table& t) { return {t.values.begin(), t.values.end()}; }

}  // namespace

TEST_CASE("text that is not UTF-8 is converted") {
  CHECK_FALSE(decode_text("a,b\n1,2\n").changed);
  CHECK_FALSE(decode_text("W\xC3\xA4rme \xE2\x82\xAC \xF0\x9F\x8C\x9E").changed);
  const auto decoded = [](std::string_view text) { return decode_text(text).text; };
  CHECK(decode_text("W\xE4rme").encoding == "Windows-1252");
  CHECK(decoded("W\xE4rme in \xB0"
                "C, 5 \x80") ==
        "W\xC3\xA4rme in \xC2\xB0"
        "C, 5 \xE2\x82\xAC");
  CHECK(decoded("12345678\xE4") == "12345678\xC3\xA4");
  // Both in one file; what only looks like a sequence: overlong, a surrogate, beyond U+10FFFF, cut.
  CHECK(decoded("\xC3\xA4\xE4") == "\xC3\xA4\xC3\xA4");
  CHECK(decoded("\xC0\x80") == "\xC3\x80\xE2\x82\xAC");
  CHECK(decoded("\xED\xA0\x80") == "\xC3\xAD\xC2\xA0\xE2\x82\xAC");
  CHECK(decoded("\xF4\x90\x80\x80") == "\xC3\xB4\xC2\x90\xE2\x82\xAC\xE2\x82\xAC");
  CHECK(decoded("\xE2\x82") == "\xC3\xA2\xE2\x80\x9A");
  // UTF-16 in both orders, with a pair, half a pair, and half a unit at the end.
  using namespace std::string_view_literals;
  CHECK(decode_text("\xFF\xFE"
                    "a\0"sv)
            .encoding == "UTF-16");
  CHECK(decoded("\xFF\xFE"
                "a\0\xE4\0\xAC\x20"sv) == "a\xC3\xA4\xE2\x82\xAC");
  CHECK(decoded("\xFE\xFF\0a\xD8\x3C\xDF\x1E\xD8\x3C"sv) == "a\xF0\x9F\x8C\x9E\xEF\xBF\xBD");
  CHECK(decoded("\xFF\xFE"
                "a\0\x3C"sv) == "a");
  // An old Macintosh's lines.
  CHECK(decoded("a,b\r1,2\r") == "a,b\n1,2\n");
  CHECK_FALSE(decode_text("a,b\r\n1,2\r\n").changed);
}

TEST_CASE("tables in other encodings say so") {
  const std::string_view text = "Zeit;W\xE4rme\r\n01.07.2016;1,5\r\n02.07.2016;2,5\r\n";
  const Table t = guessed(text);
  CHECK(t.names == Names{"W\xC3\xA4rme"});
  CHECK(t.encoding == "Windows-1252");
  CHECK(values(t) == std::vector<double>{1.5, 2.5});
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("a\tb\r\n1\t2\r\n")) wide += c, wide += '\0';
  CHECK(values(guessed(wide)) == std::vector<double>{1, 2});
  CHECK(guessed(wide).encoding == "UTF-16");
  CHECK(guessed("a,b\n1,2\n").encoding == "UTF-8");
  CHECK(values(guessed("a,b\r1,2\r3,4\r")) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("a first row of numbers and dates names nothing") {
  for (const char* text : {"2016-07-01,1.5\n2016-07-02,2\n", "1.5;2\n3;4\n", "1,5;2\n3;4\n",
                           "2016-07-01,NA,1\n2016-07-02,1,2\n"}) {
    CAPTURE(text);
    CHECK_FALSE(guess_csv(text).options.header);
  }
  for (const char* text : {"date,1\n2016-07-01,1\n", ",0,1\n0,5,6\n", "0,1,2\n5,6,7\n", "a\n1\n"}) {
    CAPTURE(text);
    CHECK(guess_csv(text).options.header);
  }
  const Table t = guessed("2016-07-01,1.5,2\n2016-07-02,2.5,3\n");
  CHECK(t.names == Names{"c2", "c3"});
  CHECK(t.text("c1") == Names{"2016-07-01", "2016-07-02"});
  CHECK(values(t) == std::vector<double>{1.5, 2, 2.5, 3});
  CHECK(t.lines == std::vector<Size>{1, 2});
  CHECK_THROWS_WITH((void)parse_csv("1,2\n3,x\n", {.header = false}),
                    "[read_csv] text, line 2, column 2 ('c2'): 'x' is not a number");
  CHECK_THROWS_WITH((void)parse_csv("2016-07-01,2\n3,4\n", {}), doctest::Contains("line 1 should"));
}

TEST_CASE("what stands above the names is passed over") {
  const auto skipped = [](std::string_view text) { return guess_csv(text).options.skip_lines; };
  CHECK(skipped("a,b\n1,2\n") == 0);
  CHECK(skipped("Station 44, Ulm\n\ndate,a,b\n2016-07-01,1,2\n2016-07-02,1,2\n") == 2);
  CHECK(skipped("lat,lon,height\n52,13,40\n\na,b\n1,2\n3,4\n5,6\n") == 3);
  CHECK(skipped("# made by hand\na,b\n1,2\n") == 1);
  CHECK(skipped("sep=;\na;b\n1;2\n") == 1);
  CHECK(skipped("\n\nload\n1\n2\n") == 2);
  // Names that are too few or too many are no title: the reader says what is wrong.
  CHECK(skipped("a,b\nx,1,2\ny,3,4\n") == 0);
  CHECK(skipped("a,b,c,d\n1,2,3\n4,5,6\n") == 0);
  const Table t = guessed("Station 44\n\"two\nlines\"\na,b\n1,2\n3,4\n");
  CHECK(t.names == Names{"a", "b"});
  CHECK(t.lines == std::vector<Size>{5, 6});
  CHECK_THROWS_WITH((void)guessed("title\n\na,b\n1,2\n3,4\n5,x\n"),
                    "[read_csv] text, line 6, column 2 ('b'): 'x' is not a number");
}

TEST_CASE("empty lines and separators at the end of lines hold nothing") {
  const std::vector<double> right{1, 2, 3, 4};
  CHECK(values(guessed("a,b\n1,2\n\n3,4\n\n\n")) == right);
  CHECK(values(guessed("a,b\r\r\n1,2\r\r\n3,4\r\r\n")) == right);
  CHECK(values(guessed("a;b\n1;2;\n3;4;\n")) == right);
  CHECK(values(guessed("a;b;\n1;2\n3;4\n")) == right);
  CHECK(values(guessed("a;b;;\n1;2;;\n3;4;;\n;;;\n;;;\n")) == right);
  CHECK(values(guessed("\"a\",\"b\"\r\r\n\"1\",\"2\"\r\r\n3,4")) == right);
  CHECK_THROWS_WITH((void)guessed("a;b\n1;2;7\n3;4;\n"),
                    "[read_csv] text, line 2: 3 cells in a table of 2 columns");
  CHECK_THROWS_WITH((void)guessed("a;b\n1;2\n3;4\n5\n"),
                    "[read_csv] text, line 4: 1 cell in a table of 2 columns");
  CHECK(guessed("\"a\nb\",c\n1,2\n").names == Names{"a b", "c"});
}

TEST_CASE("dates without a name, times beside days, clocks that are numbers") {
  const CsvGuess index = guess_csv(",a\n2016-07-01,1\n2016-07-02,2\n");
  CHECK(index.options.text == Names{""});
  CHECK(guessed(",a\n2016-07-01,1\n2016-07-02,2\n").text("")[1] == "2016-07-02");
  const CsvGuess two = guess_csv("Date;Time;v\n01/07/2016;00.00.00;1\n01/07/2016;01.00.00;2\n");
  CHECK(two.options.text == Names{"Date"});
  CHECK(two.times == Names{"Time"});
  CHECK(two.days);
  CHECK_FALSE(guess_csv("t,v\n2016-07-01 01:00,1\n").days);
  CHECK(guess_csv("month,v\n201612,1\n201701,2\n").options.text == Names{"month"});
  CHECK(guess_csv("meter,v\n201612,1\n201701,2\n").options.text.empty());
  CHECK(guess_csv("ts,v\n1700000000,1\n1700000060,2\n").clocks == Names{"ts"});
  CHECK(guess_csv("unix_time,v\n1700000000.5,1\n1700000060.5,2\n").clocks == Names{"unix_time"});
  CHECK(guess_csv("Timestamp,v\n1700000000000,1\n1700000060000,2\n").clocks == Names{"Timestamp"});
  CHECK(guess_csv("counter,v\n1700000000,1\n1700000060,2\n").clocks.empty());  // by name, too
  CHECK(guess_csv("time,v\n1,1\n2,2\n").clocks.empty());
  CHECK(guess_csv("ts,v\n1700000060,1\n1700000000,2\n").clocks.empty());
}

TEST_CASE("the number that tells, and the one that does not") {
  const CsvGuess told = guess_csv("a;b\n1;2\n3;0,5\n");
  CHECK(told.told.text == "0,5");
  CHECK(told.told.line == 3);
  CHECK(told.told.column == 2);
  CHECK(told.unclear.text.empty());
  const CsvGuess unclear = guess_csv("a;b\n1;2\n3;1.234\n");
  CHECK(unclear.told.text.empty());
  CHECK(unclear.unclear.text == "1.234");
  CHECK(unclear.signs);
  CHECK_FALSE(guess_csv("a;b\n1;2\n").signs);
  CHECK_FALSE(unclear.doubtful);
  CHECK(guess_csv("a;b\n1;2\n3;1.234\n4;1039\n").doubtful);
  // Both signs as decimal ones: the more common one, so that the reader names the other.
  CHECK(guess_csv("a;b\n1.5;2.5\n3;4,5\n").options.decimal == '.');
  CHECK(guess_csv("a;b\n1,5;2,5\n3;4.5\n").options.decimal == ',');
  CHECK(guess_csv("a,b\n1.234,2\n").unclear.text.empty());  // between commas a point is decimal
}

TEST_CASE("numbers that stand for a missing one; minus signs and spaces of word processors") {
  const Names words{"-999", "closed"};
  const auto read = [&](std::string_view text) {
    return values(parse_csv(text, {.missing = Missing::forward_fill, .missing_words = words}));
  };
  CHECK(read("v\n1\n-999\n-999.0\nclosed\n2\n") == std::vector<double>{1, 1, 1, 1, 2});
  CHECK_THROWS_WITH((void)parse_csv("v\n1\n-999.0\n", {.missing_words = words}),
                    "[read_csv] text, line 3, column 1 ('v'): a value is missing ('-999.0')");
  CHECK(values(parse_csv("v\n\xE2\x88\x92"
                         "1.5\n\xC2\xA0"
                         "2\xC2\xA0\n")) == std::vector<double>{-1.5, 2});
}

TEST_CASE("ways to write numbers, by an example") {
  for (const char* text :
       {"1234.5", "1234,5", "1,234.5", "1.234,5", "1 234.5", "1 234,5", "1'234.5"})
    CHECK(example(number_form(text)) == text);
  CHECK(number_form("1.234,5") == NumberForm{',', '.'});
  CHECK_THROWS_WITH((void)number_form("1.234.5"),
                    "[read_csv] '1.234.5' shows no way to write numbers: those known are 1234.5, "
                    "1234,5, 1,234.5, 1.234,5, 1 234.5, 1 234,5, 1'234.5 and 1'234,5");
}
