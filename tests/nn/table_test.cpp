#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/data/table.hpp>

using namespace axisgrad;
using Names = std::vector<std::string>;

TEST_CASE("C64: a byte-order mark, CRLF and no final newline") {
  const Table t = parse_csv("\xEF\xBB\xBFt,v\r\n0,1.5\r\n1,2.5");
  CHECK(t.names == Names{"t", "v"});
  CHECK(same_bits(t.values, Tensor<double>({2, 2}, {0, 1.5, 1, 2.5})));
}

TEST_CASE("C74: semicolons and decimal commas are a located error with the default settings") {
  const std::string_view text = "t;v\n1;1.299,99\n2;0,5\n";
  CHECK_THROWS_WITH((void)parse_csv(text, {}, "shop.csv"),
                    "[read_csv] shop.csv, line 2, column 1 ('t;v'): '1;1.299' is not a number; is "
                    "the separator ';'?");
  CHECK_THROWS_WITH(
      (void)parse_csv(text, {.separator = ';'}, "shop.csv"),
      "[read_csv] shop.csv, line 2, column 2 ('v'): '1.299,99' is not a number in the "
      "form 1234.5");
}

TEST_CASE("numbers are read to the last bit, in the ways people write them") {
  const Table t = parse_csv(
      "a,b\n-0.1, 1e3 \n+2.5,\"3\"\n.5,4.\n 0.1000000000000000055511151231257827,1e-310\n");
  CHECK(same_bits(t.values, Tensor<double>({4, 2}, {-0.1, 1000, 2.5, 3, 0.5, 4, 0.1, 1e-310})));
}

TEST_CASE("quotes: separators, newlines and quotes within a cell") {
  const Table t =
      parse_csv("\"a,b\",note,c\r\n1,\"x \"\"y\"\"\nz\",2\r\n3,,4\r\n\r\n", {.text = {"note"}});
  CHECK(t.names == Names{"a,b", "c"});
  CHECK(same_bits(t.values, Tensor<double>({2, 2}, {1, 2, 3, 4})));
  CHECK(t.text("note") == Names{"x \"y\"\nz", ""});
  // The line behind a quoted newline is counted rightly.
  CHECK_THROWS_WITH((void)parse_csv("a,b\n\"1\",\"2\"\n3,x\n"),
                    "[read_csv] text, line 3, column 2 ('b'): 'x' is not a number");
  CHECK_THROWS_WITH((void)parse_csv("n,b\n\"1\n2\",2\n3,x\n", {.text = {"n"}}),
                    "[read_csv] text, line 4, column 2 ('b'): 'x' is not a number");
}

TEST_CASE("columns are chosen by name") {
  const Table t = parse_csv("date,a,b,c\nmon,1,2,3\ntue,4,5,6\nwed,7,8,9\n", {.text = {"date"}});
  CHECK(t.rows() == 3);
  CHECK(t.columns() == 3);
  CHECK(t.index("b") == 1);
  CHECK(t.indices({"c", "a"}) == std::vector<Size>{2, 0});
  const Table s = t.select({"c", "a"}).take({1, 3});
  CHECK(s.names == Names{"c", "a"});
  CHECK(same_bits(s.values, Tensor<double>({2, 2}, {6, 4, 9, 7})));
  CHECK(s.text("date") == Names{"tue", "wed"});
  CHECK_THROWS_WITH((void)t.select({"OT"}),
                    "[table] there is no column 'OT'; there are: 'a', 'b', 'c'");
  CHECK_THROWS_WITH((void)t.select({"a", "a"}), "[table] column 'a' is named twice");
  CHECK_THROWS_WITH((void)t.text("day"),
                    "[table] there is no column of text 'day'; there are: 'date'");
  CHECK_THROWS_WITH((void)parse_csv("a\n1\n").text("day"),
                    "[table] there is no column of text 'day'; there are: none");
}

TEST_CASE("C70: filling forward takes the value above, never one below") {
  CHECK(same_bits(parse_csv("v\n1\n\n3\n", {.missing = Missing::forward_fill}).values,
                  Tensor<double>({3, 1}, {1, 1, 3})));
  CHECK(same_bits(parse_csv("t,v\n0,1\n1,\n2,\n3,4", {.missing = Missing::forward_fill}).values,
                  Tensor<double>({4, 2}, {0, 1, 1, 1, 2, 1, 3, 4})));
  CHECK_THROWS_WITH(
      (void)parse_csv("t,v\n0,\n1,2\n", {.missing = Missing::forward_fill}),
      "[read_csv] text, line 2, column 2 ('v'): a value is missing, with none above it");
}

TEST_CASE("what cannot be read exactly is an error that says where") {
  const auto error = [](std::string_view text, const char* expected) {
    INFO(text);
    CHECK_THROWS_WITH((void)parse_csv(text, {}, "f.csv"), expected);
  };
  error("", "[read_csv] f.csv is empty");
  error("\xEF\xBB\xBF\r\n\n", "[read_csv] f.csv is empty");
  error("a,b\n", "[read_csv] f.csv has names on line 1, but no rows");
  error("a,,c\n1,2,3\n", "[read_csv] f.csv, line 1, column 2: a column has no name");
  error("a,b,a\n1,2,3\n", "[read_csv] f.csv, line 1, column 3: two columns are named 'a'");
  error("1,2\n3,4\n",
        "[read_csv] f.csv, line 1 should name the columns, but holds numbers and dates only");
  error("a,b\n1,2\n3,\n", "[read_csv] f.csv, line 3, column 2 ('b'): a value is missing");
  error("a,b\n1,2\n\"\",4\n", "[read_csv] f.csv, line 3, column 1 ('a'): a value is missing");
  error("a,b\n1,2\n3\n", "[read_csv] f.csv, line 3: 1 cell in a table of 2 columns");
  error("a;b\n1,2\n",
        "[read_csv] f.csv, line 2: 2 cells in a table of 1 column; is the separator ';'?");
  error("a,b\n1,2,3,4\n", "[read_csv] f.csv, line 2: 4 cells in a table of 2 columns");
  error("a,b\n1,2\n\n3,4\n", "[read_csv] f.csv, line 3, column 1 ('a'): the line is empty");
  error("a,b\n1,2x\n", "[read_csv] f.csv, line 2, column 2 ('b'): '2x' is not a number");
  error("a,b\n1,0x10\n", "[read_csv] f.csv, line 2, column 2 ('b'): '0x10' is not a number");
  error("a,b\n1,2 3\n", "[read_csv] f.csv, line 2, column 2 ('b'): '2 3' is not a number");
  error("a,b\n1,+-2\n", "[read_csv] f.csv, line 2, column 2 ('b'): '+-2' is not a number");
  error("a,b\n1,NaN\n", "[read_csv] f.csv, line 2, column 2 ('b'): 'NaN' is not a finite number");
  error("a,b\n1,-inf\n", "[read_csv] f.csv, line 2, column 2 ('b'): '-inf' is not a finite number");
  error("a,b\n1,1e999\n",
        "[read_csv] f.csv, line 2, column 2 ('b'): '1e999' is beyond the range of double");
  error("a,b\n1,\"2\n", "[read_csv] f.csv, line 2, column 2 ('b'): a quote is not closed");
  error("a,b\n\"1\"x,2\n",
        "[read_csv] f.csv, line 2, column 1 ('a'): text behind the closing quote of '1'");
  error(std::string_view("t\0,\0", 4),
        "[read_csv] f.csv holds zero bytes: it is no text, or UTF-16 without its first mark");
  error("PK\x03\x04...", "[read_csv] f.csv is a spreadsheet or an archive: save it as CSV");
  error("a,b\n1,2%\n",
        "[read_csv] f.csv, line 2, column 2 ('b'): '2%' is not a number: a number stands without "
        "'%'");
  error("a b\n1 2\n",
        "[read_csv] f.csv, line 2, column 1 ('a b'): '1 2' is not a number; a space does not "
        "separate cells");
  error("\"a\" \"b\"\n1 2\n",
        "[read_csv] f.csv, line 1, column 1: text behind the closing quote of 'a'; a space does "
        "not separate cells");
  error("a\n0123456789012345678901234567890123456789x\n",
        "[read_csv] f.csv, line 2, column 1 ('a'): '0123456789012345678901234567890123456789...' "
        "is not a number");
  CHECK_THROWS_WITH((void)parse_csv("a\n1\n", {.text = {"date"}}),
                    "[read_csv] text has no column 'date' to keep as text; there are: 'a'");
  CHECK_THROWS_WITH((void)parse_csv("a\n1\n", {.skip_lines = 7}),
                    "[read_csv] text ends above line 8");
  CHECK_THROWS_WITH((void)parse_csv("a\n1\n", {.separator = '.'}),
                    "[read_csv] '.' cannot be the separator");
}

TEST_CASE("files: missing, folders, and the time that a large one takes") {
  CHECK_THROWS_WITH((void)read_csv("no/such.csv"), "[read_csv] there is no file 'no/such.csv'");
  const auto folder = std::filesystem::temp_directory_path();
  CHECK_THROWS_WITH((void)read_csv(folder.string()),
                    ("[read_csv] '" + folder.string() + "' is a folder, not a file").c_str());

  constexpr Size rows = 50'000, columns = 20;
  const RandomStream random(1);
  std::string text = "c0";
  for (Size c = 1; c < columns; ++c) text += ",c" + std::to_string(c);
  std::vector<double> values;
  for (std::uint64_t i = 0; i < rows * columns; ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", values.emplace_back(random.normal(i)));
    text += (i % columns ? ',' : '\n'), text += number;
  }
  const auto path =
      folder /
      ("axisgrad_table_test_" +
       std::to_string(std::filesystem::file_time_type::clock::now().time_since_epoch().count()));
  std::ofstream(path, std::ios::binary) << text;
  const auto begin = std::chrono::steady_clock::now();
  const Table t = read_csv(path.string());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::filesystem::remove(path);
  CHECK(same_bits(t.values, Tensor<double>({rows, columns}, values)));
  MESSAGE((rows * columns), " numbers of 17 digits in ", seconds, " s");
}
