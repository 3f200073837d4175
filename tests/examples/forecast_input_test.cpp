// Tables that people bring: CSV files as read_series takes them, time axes, gaps in NumPy's files.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <axisgrad/nn/weights/npy.hpp>

#include "../../examples/forecast/files.hpp"
#include "../../examples/forecast/series.hpp"
#include "../error_of.hpp"
#include "../temporary_folder.hpp"

using namespace forecast;
namespace ag = axisgrad;

namespace {

// A file of this text, read.
struct File {
  TemporaryFolder folder;
  std::string path;
  explicit File(const std::string& text, const std::string& name = "t.csv")
      : path((folder / name).string()) {
    write_text(path, text);
  }
  Series read(const Settings& s = {}, const TableForm* known = nullptr) const {
    return read_series(path, s, known);
  }
  // Behind the file's name.
  std::string error(const Settings& s = {}, const TableForm* known = nullptr) const {
    const std::string text = error_of([&] { (void)read(s, known); });
    const auto at = text.find("t.csv");
    return at == text.npos ? text : text.substr(at);
  }
};

std::vector<double> values(const Series& s) { return {s.values.begin(), s.values.end()}; }

bool says(const Series& s, const std::string& text) {
  return std::any_of(s.notes.begin(), s.notes.end(),
                     [&](const std::string& note) { return note.find(text) != note.npos; });
}

}  // namespace

TEST_CASE("forecast: a later table is read as that of the run was written") {
  const TableForm german{"1.234,5", "dmy"};
  // 1.003 is a thousand and three here, whatever separates the cells.
  CHECK(values(File("v;w\n1.003;2\n1.004;3\n").read({}, &german)) ==
        std::vector<double>{1003, 2, 1004, 3});
  CHECK(values(File("v\tw\n1.003\t2\n").read({}, &german)) == std::vector<double>{1003, 2});
  CHECK(values(File("v,w\n1.003,2\n").read({}, &german)) == std::vector<double>{1003, 2});
  CHECK(File("v;w\n1.003;2\n1.004;3.25\n").error({}, &german) ==
        "t.csv', line 3, column 2: '3.25' is a number as in 1234.5, but the run was trained on "
        "numbers as 1.234,5; --numbers 1234.5 if this table is right");
  Settings s;
  s.numbers = "1234.5";
  CHECK(values(File("v;w\n1.003;2\n1.004;3.25\n").read(s, &german)) ==
        std::vector<double>{1.003, 2, 1.004, 3.25});
  // A sign that was not needed before, where it is beyond doubt; where it is not, an error.
  const TableForm comma{"1234,5", ""};
  CHECK(values(File("v;w\n1.003,5;2\n").read({}, &comma)) == std::vector<double>{1003.5, 2});
  CHECK(values(File("v;w\n1 003;2\n").read({}, &comma)) == std::vector<double>{1003, 2});
  CHECK(File("v;w\n1.003;2\n").error({}, &comma) ==
        "t.csv', line 2, column 1: '1.003' may have a decimal sign or one between thousands: say "
        "--numbers 1234.5 or --numbers 1.234,5");
  const TableForm whole{"", ""};
  CHECK(values(File("v;w\n1003;2\n").read({}, &whole)) == std::vector<double>{1003, 2});
  CHECK(values(File("v;w\n1003,5;2\n").read({}, &whole)) == std::vector<double>{1003.5, 2});
  CHECK(File("v;w\n1.003;2\n").error({}, &whole).find("may have a decimal sign") !=
        std::string::npos);
}

TEST_CASE("forecast: days and months are in the order of the run") {
  const TableForm dmy{"", "dmy"};
  const File file("t,v\n03/04/2016,1\n04/04/2016,2\n");
  CHECK(file.error().find("No row tells; write 2016-07-01, or say --date-order") !=
        std::string::npos);
  CHECK(file.read({}, &dmy).step_text() == "1 day");
  Settings s;
  s.date_order = "mdy";
  CHECK(file.read(s, &dmy).step_text() == "1 month");
  CHECK(File("t,v\n04/12/2016,1\n04/13/2016,2\n").error({}, &dmy) ==
        "[dates] the column 't', line 3: '04/13/2016' is not a date in the order dmy (d day, m "
        "month)");
  CHECK(File("t,v\n2016-04-12,1\n2016-04-13,2\n").read({}, &dmy).step_text() == "1 day");
  CHECK(file.read(s).form.date_order == "mdy");
  CHECK(File("t,v\n2016-04-12,1\n2016-04-13,2\n").read().form.date_order.empty());
}

TEST_CASE("forecast: the form of the numbers is kept for later tables") {
  CHECK(File("v;w\n1.003,5;2\n1;2\n").read().form.numbers == "1.234,5");
  CHECK(File("v;w\n1003;2\n1;2\n").read().form.numbers.empty());
  const Series unclear = File("v;w\n10.003;2\n11.004;3\n").read();
  CHECK(values(unclear) == std::vector<double>{10.003, 2, 11.004, 3});
  CHECK(says(unclear,
             "line 2, column 1: '10.003' is read with a decimal sign, which nothing in the "
             "table tells for sure; if that is wrong, --numbers 1.234,5"));
  CHECK(File("v;w\n10.003;2\n1039;3\n").error().find("may have a decimal sign or one between") !=
        std::string::npos);
  Settings s;
  s.numbers = "1.234,5";
  const Series clear = File("v;w\n10.003;2\n11.004;3\n").read(s);
  CHECK(values(clear) == std::vector<double>{10003, 2, 11004, 3});
  CHECK(clear.notes.empty());
  CHECK(says(File("v,w\n\"1,003\",2\n980,3\n").read(), "a sign between thousands"));
}

TEST_CASE("forecast: a table without names") {
  const File file("2016-07-01,5,2.5\n2016-07-02,6,1\n2016-07-03,4,1\n");
  CHECK(file.error() ==
        "t.csv', line 1 holds numbers and dates only: a first row should name the columns; "
        "--no-header names them c1, c2, ...");
  Settings s;
  s.header = false;
  const Series series = file.read(s);
  CHECK(series.names == Names{"c2", "c3"});
  CHECK(series.rows() == 3);
  CHECK(series.date_columns == Names{"c1"});
  CHECK(File("t,v\n2016-07-01,5\n").error(s) ==
        "t.csv', line 1 names columns ('t', 'v'), but --no-header says that no line does");
  const TableForm known;
  CHECK(file.error({}, &known) ==
        "t.csv', line 1 holds numbers and dates only, but should name the columns as the table of "
        "the run did");
}

TEST_CASE("forecast: what was done to a table is noted") {
  const Series latin = File("Zeit;W\xE4rme\n01.07.2016;1,5\n02.07.2016;3,5\n").read();
  CHECK(latin.names == Names{"W\xC3\xA4rme"});
  CHECK(says(latin, "t.csv' is not UTF-8: read as Windows-1252"));
  CHECK(says(File("Station 44\n\nt,v\n2016-07-01,1\n2016-07-02,3\n").read(),
             "the names stand on line 3; what is above is passed over"));
  const Series two = File("von;bis;v\n01.07.2016;02.07.2016;1,5\n02.07.2016;03.07.2016;2\n").read();
  CHECK(two.names == Names{"v"});
  CHECK(says(two, "column 'bis' holds dates as well: it is left out"));
  std::string text = "v,w\n";
  for (int i = 0; i < 30; ++i)
    text += (i % 7 == 3 ? "-999" : std::to_string(10 + i * i % 11)) + "," + std::to_string(i * i) +
            '\n';
  const File file(text);
  CHECK(file.read().notes ==
        Names{"column 'v' holds -999 several times, far from all else: if that "
              "is a missing value, say --missing-words -999"});
  Settings s;
  s.missing_words = {"-999"};
  CHECK(file.error(s) == "t.csv, line 5, column 1 ('v'): a value is missing ('-999')");
  s.missing = "ffill";
  CHECK(file.read(s).notes.empty());
}

TEST_CASE("forecast: date and time in several columns") {
  const std::string rows =
      "01/07/2016;22.00.00;1,5\n01/07/2016;23.00.00;2\n02/07/2016;00.00.00;3\n";
  const Series found = File("Date;Time;v\n" + rows).read();
  CHECK(found.names == Names{"v"});
  CHECK(found.step_text() == "1 hour");
  CHECK(found.date_columns == Names{"Date", "Time"});
  CHECK(found.dates->column == "Date Time");
  CHECK(found.dates->next(1) == Names{"02/07/2016 01.00.00"});
  Settings s;
  s.date_column = {"year", "month", "day", "hour"};
  const Series four = File("year,month,day,hour,v\n2016,12,31,22,1\n2016,12,31,23,2\n").read(s);
  CHECK(four.step_text() == "1 hour");
  CHECK(four.dates->next(1) == Names{"2017 01 01 00"});
  CHECK(File("day,v\n2016-07-01,5\n").error(s) ==
        "t.csv' has no column 'year' for the dates; there are: 'day', 'v'");
  CHECK(File(",v\n2016-07-01,5\n2016-07-02,4\n").read().dates->column == "date");
}

TEST_CASE("forecast: clocks that are numbers, with their units") {
  const auto timeline = [](const Names& cells) { return read_timeline(cells, "ts"); };
  CHECK(timeline({"1467331200000", "1467331200250"}).step_text() == "250 milliseconds");
  CHECK(timeline({"1467331200000000", "1467331200000250"}).step_text() == "250 microseconds");
  CHECK(timeline({"1467331200000000000", "1467331201000000000"}).step_text() == "1 second");
  const Timeline fractions = timeline({"1467331200.0", "1467331200.5"});
  CHECK(fractions.step_text() == "500 milliseconds");
  CHECK(fractions.next(2) == Names{"1467331201.0", "1467331201.5"});
  const Timeline simulated = timeline({"0", "0.05", "0.1"});
  CHECK(simulated.step_text() == "0.05 counts");
  CHECK(simulated.next(1) == Names{"0.15"});
  CHECK(timeline({"-0.10", "-0.05"}).next(2) == Names{"0.00", "0.05"});
  const Series series = File("timestamp,v\n1467331200,5\n1467334800,4\n1467338400,6\n").read();
  CHECK(series.names == Names{"v"});
  CHECK(series.step_text() == "1 hour");
  CHECK(says(series, "column 'timestamp' is read as the time since 1970"));
}

TEST_CASE("forecast: rows that are out of step are told by their line") {
  const std::vector<Size> lines{2, 3, 4, 5, 6};
  const auto timeline = [&](const Names& cells) {
    return read_timeline(cells, "d", {.lines = &lines});
  };
  const auto notes = [&](const Names& cells) { return timeline(cells).notes; };
  CHECK(notes({"2016-07-05", "2016-07-06", "2016-07-06", "2016-07-07"}) ==
        Names{"line 4: '2016-07-06' occurs twice; windows take these rows as any other"});
  CHECK(notes({"2016-07-05", "2016-07-05", "2016-07-06", "2016-07-07", "2016-07-07"}) ==
        Names{"line 3: '2016-07-05' occurs twice, and 1 more like it; windows take these rows as "
              "any other"});
  CHECK(notes({"2016-07-05 00:00", "2016-07-05 01:00", "2016-07-05 02:00", "2016-07-05 02:30"}) ==
        Names{"1 of 3 steps between dates is shorter than 1 hour, the first in line 5 ('2016-07-05 "
              "02:30' after '2016-07-05 02:00'): windows take these rows as any other"});
  // The last Sunday of October, in hours and in quarters of them.
  const std::string back = "as clocks are put back at the end of daylight-saving time";
  const Names hours =
      notes({"2016-10-30 01:00", "2016-10-30 02:00", "2016-10-30 02:00", "2016-10-30 03:00"});
  REQUIRE(hours.size() == 1);
  CHECK(hours[0].find(back) != std::string::npos);
  CHECK(hours[0].find("line 4") == 0);
  const Names quarters =
      notes({"2016-10-30 02:30", "2016-10-30 02:45", "2016-10-30 02:00", "2016-10-30 02:15"});
  REQUIRE(quarters.size() == 1);
  CHECK(quarters[0].find(back) != std::string::npos);
  const auto error = [&](const Names& cells) { return error_of([&] { (void)timeline(cells); }); };
  CHECK(error({"2016-07-03 02:30", "2016-07-03 02:45", "2016-07-03 02:00"}) ==
        "[forecast] column 'd', line 4: '2016-07-03 02:00' lies before the row above, '2016-07-03 "
        "02:45': sort the table by time");
  CHECK(error({"2016-07-05", "2016-07-04", "2016-07-03"}) ==
        "[forecast] column 'd', the newest row comes first (line 3: '2016-07-04' below "
        "'2016-07-05'): sort the table by time, the oldest first");
  CHECK(
      error({"2016-07-05", "2016-07-05", "2016-07-05", "2016-07-06", "2016-07-06"}) ==
      "[forecast] column 'd', line 3: '2016-07-05' again, and most dates occur more than once; is "
      "the time of the day in another column (--date-column d,OTHER), or do several series stand "
      "below each other?");
}

TEST_CASE("forecast: missing values in NumPy's files") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.npy").string();
  const auto read = [&](const char* missing, const ag::Tensor<double>& x) {
    ag::save_npy(path, x);
    Settings s;
    s.missing = missing;
    return values(read_series(path, s));
  };
  const ag::Tensor<double> x({4, 2}, {9, 1, 5, NAN, 7, 3, NAN, NAN});
  CHECK(read("ffill", x) == std::vector<double>{9, 1, 5, 1, 7, 3, 7, 3});
  CHECK(read("interpolate-past", x) == std::vector<double>{9, 1, 5, 1, 7, 3, 9, 3});
  CHECK(read("drop", x) == std::vector<double>{9, 1, 7, 3});
  const auto error = [&](const char* missing, const ag::Tensor<double>& values) {
    const std::string text = error_of([&] { (void)read(missing, values); });
    return text.substr(text.find("a.npy"));
  };
  CHECK(error("error", x) == "a.npy', row 1, column '1': a value is missing (nan)");
  CHECK(error("ffill", ag::Tensor<double>({2, 1}, {NAN, 1})) ==
        "a.npy', row 0, column '0': a value is missing, with none above it");
  CHECK(error("ffill", ag::Tensor<double>({2, 1}, {1, INFINITY})) ==
        "a.npy', row 1, column '0': it is not a finite number");
  CHECK(error("drop", ag::Tensor<double>({2, 1}, {NAN, NAN})) ==
        "a.npy' has no row without a missing value");
}

TEST_CASE("forecast: what a killed process left half-written is removed") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "pictures");
  const std::string living = std::to_string(::getppid());
  for (const std::string name : {"history.csv.new4194305", "pictures/a.svg.new4194305",
                                 "weights.safetensors.4194305.2.partial"})
    write_text(folder / name, "");
  const Names kept{"a.new", "a.newest", "b.partial", "c.1.partial", "d.csv", "e.new" + living};
  for (const std::string& name : kept) write_text(folder / name, "");
  remove_half_written(folder.path());
  Names left;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) left.push_back(entry.path().filename().string());
  std::sort(left.begin(), left.end());
  CHECK(left == kept);
}
