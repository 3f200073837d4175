#include <doctest/doctest.h>

#include <axisgrad/nn/data/dates.hpp>

using namespace axisgrad;
using Texts = std::vector<std::string>;

namespace {

constexpr std::int64_t second = micros_of_second;

std::string pattern(const Texts& cells) { return read_dates(cells, "date").pattern; }
// The next dates in the form and step of these.
Texts next(const Texts& cells, Size n) {
  const Dates d = read_dates(cells, "date");
  return continued(d, regular_step(d, "date"), n);
}

}  // namespace

TEST_CASE("dates: the forms that are common") {
  constexpr std::int64_t july_first = 1'467'331'200 * second;  // 2016-07-01 00:00
  for (const char* text : {"2016-07-01", "2016/07/01", "20160701", "1 Jul 2016", "Jul 1, 2016",
                           "2016-07-01 00:00", "2016-07-01T00:00:00", "2016-07-01T00:00:00Z",
                           "2016-7-1", "2016-07", "Jul 2016", "2016-07-01 12:00 AM"}) {
    CAPTURE(text);
    CHECK(looks_like_date(text));
    CHECK(read_dates({text}, "date").at[0] == july_first);
  }
  CHECK(read_dates({"20160701 13:05"}, "date").at[0] == july_first + (13 * 3600 + 300) * second);
  CHECK(read_dates({"13.07.16 12:30 PM"}, "date").at[0] ==
        july_first + (12 * 86'400 + 12 * 3600 + 1800) * second);
  CHECK(read_dates({"31.12.1969 23:59:59"}, "date").at[0] == -second);
  for (const char* text :
       {"", "1", "2016", "12.5", "2016-13-01", "2015-02-29", "30.02.2016", "2016-07-01 24:01",
        "2016-07-01 10:60", "2016-07-01 x", "hello", "2016-07-01 13:00 PM", "123456789"}) {
    CAPTURE(text);
    CHECK_FALSE(looks_like_date(text));
  }
  CHECK(looks_like_date("2016-02-29"));
}

TEST_CASE("dates: day and month are told apart by the rows, or not at all") {
  CHECK(pattern({"01/02/2020", "13/02/2020"}) == "d/m/Y");
  CHECK(pattern({"01/02/2020", "01/13/2020"}) == "m/d/Y");
  CHECK(pattern({"01/12/2020", "02/01/2020"}) == "m/d/Y");  // as d/m it would fall
  CHECK(pattern({"05/05/2020"}) == "m/d/Y");                // the same day in both
  CHECK_THROWS_WITH((void)read_dates({"01/02/2020", "02/03/2020"}, "t"),
                    "[dates] the column 't': is '01/02/2020' written as m/d/Y or as d/m/Y (d day, "
                    "m month)? No row tells; write 2016-07-01");
  CHECK_THROWS_WITH((void)read_dates({"2016-07-01", "2016-07-32"}, "t"),
                    "[dates] the column 't', row 2: '2016-07-32' is not a date in the form of "
                    "those above it ('2016-07-01')");
  CHECK_THROWS_WITH((void)read_dates({"soon"}, "t"),
                    "[dates] the column 't', row 1: 'soon' is not a date in any form known (as "
                    "2016-07-01 02:00)");
  CHECK_THROWS_WITH((void)read_dates({}, "t"), "[dates] the column 't' has no rows");
}

TEST_CASE("dates: continued in their own form and step") {
  CHECK(next({"2016-12-31 22:00:00", "2016-12-31 23:00:00"}, 2) ==
        Texts{"2017-01-01 00:00:00", "2017-01-01 01:00:00"});
  CHECK(next({"27.02.2020", "28.02.2020"}, 2) == Texts{"29.02.2020", "01.03.2020"});
  CHECK(next({"20191230", "20191231"}, 1) == Texts{"20200101"});
  CHECK(next({"12/30/19 11:30 PM", "12/30/19 11:45 PM"}, 2) ==
        Texts{"12/31/19 12:00 AM", "12/31/19 12:15 AM"});
  CHECK(next({"Nov 2019", "Dec 2019"}, 2) == Texts{"Jan 2020", "Feb 2020"});
  CHECK(next({"2019-10", "2019-11", "2019-12"}, 1) == Texts{"2020-01"});
  CHECK(next({"2019-11-30", "2019-12-31", "2020-01-31"}, 2) == Texts{"2020-02-29", "2020-03-31"});
  CHECK(next({"2019-01-15", "2019-04-15", "2019-07-15"}, 1) == Texts{"2019-10-15"});
  CHECK(next({"2018-01-01", "2019-01-01", "2020-01-01"}, 1) == Texts{"2021-01-01"});
  CHECK(next({"1969-12-31 12:00", "1969-12-31 18:00"}, 1) == Texts{"1970-01-01 00:00"});
}

TEST_CASE("dates: what has no regular step") {
  const auto step = [](const Texts& cells) { return regular_step(read_dates(cells, "t"), "t"); };
  CHECK(step({"2020-01-01", "2020-01-02", "2020-01-03"}).micros == micros_of_day);
  CHECK(step({"2020-01-31", "2020-02-29", "2020-03-31"}).months == 1);
  CHECK_THROWS_WITH((void)step({"2020-01-01", "2020-01-02", "2020-01-04"}),
                    "[dates] the column 't' has no regular step: row 3, '2020-01-04', does not "
                    "follow '2020-01-02' as the rows above do");
  CHECK_THROWS_WITH((void)step({"2020-01-02", "2020-01-01"}),
                    "[dates] the column 't' must rise, but '2020-01-02' is followed by "
                    "'2020-01-01'");
  CHECK_THROWS_WITH((void)step({"2020-01-02"}),
                    "[dates] the column 't' needs two rows to have a step");
}

TEST_CASE("dates: more of the forms that are met") {
  constexpr std::int64_t july_first = 1'467'331'200 * second;  // 2016-07-01 00:00
  for (const char* text : {"2016-07-01T00:00:00+02:00",
                           "2016-07-01 00:00:00+00:00",
                           "2016-07-01 00:00:00-0330",
                           "2016-07-01 00:00+02",
                           "2016-07-01 00:00:00 +0200",
                           "2016-07-01T00:00:00.000Z",
                           "2016-07-01 00:00:00 UTC",
                           "2016-07-01 00:00:00.000000000",
                           "2016.07.01",
                           "July 01, 2016",
                           "July 1, 2016",
                           "01 July 2016",
                           "01-JUL-2016",
                           "1-Jul-16",
                           "2016-Jul-01",
                           "Fri, 01 Jul 2016",
                           "Friday, July 1, 2016",
                           "01.07.16",
                           "2016070100",
                           "201607010000",
                           "20160701000000",
                           "20160701T0000",
                           "20160701T000000Z",
                           "2016-07-01 0",
                           "20160701 000000",
                           "2016 7 1",
                           "2016 7 1 0",
                           "07/2016",
                           "201607",
                           "Jul-16",
                           "2016Q3",
                           "2016-Q3",
                           "Q3 2016",
                           "7/1/2016, 12:00:00 AM",
                           "2016-07-01 12 AM",
                           "01.07.2016 00.00.00",
                           "2016-06-30 24:00"}) {
    CAPTURE(text);
    REQUIRE(looks_like_date(text));
    const std::string order = std::string(text).find('/') != std::string::npos ? "mdy" : "";
    CHECK(read_dates({text}, "date", {.order = order}).at[0] == july_first);
  }
  CHECK(read_dates({"2016-07-01 00:00:00.125"}, "date").at[0] == july_first + second / 8);
  CHECK(read_dates({"2016-07-01 00:00:00,5"}, "date").at[0] == july_first + second / 2);
  for (const char* text :
       {"2016-07-01 00:00:00.1234567", "2016-07-01 00:00+25:00",
        "2016-07-01 00:00+02:", "Juli 1, 2016", "2016Q5", "1234567890", "2101010100", "201613",
        "160701", "2016070125", "16.07", "-5", "1.5e10", "12:00", "2016-07-01 0 PM"}) {
    CAPTURE(text);
    CHECK_FALSE(looks_like_date(text));
  }
  for (const char* text : {"12:00", "2:00:30", "02.00.00", "2 PM"}) CHECK(looks_like_time(text));
  for (const char* text : {"12", "12.5", "25:00", "12:60", "1m", ""})
    CHECK_FALSE(looks_like_time(text));
}

TEST_CASE("dates: a day alone is its first moment where others have a time") {
  CHECK(read_dates({"2016-07-01", "2016-07-01 01:00", "2016-07-01 02:00"}, "d").pattern ==
        "Y-m-d H:M");
  CHECK(next({"2016-06-30 23:00", "2016-07-01"}, 1) == Texts{"2016-07-01 01:00"});
}

TEST_CASE("dates: offsets from UTC") {
  // Hours of the night in which clocks are put back have equal steps in UTC ...
  CHECK(next({"2016-10-30T02:00+02:00", "2016-10-30T02:00+01:00"}, 1) ==
        Texts{"2016-10-30T03:00+01:00"});
  // ... and days have them by the clock on the wall.
  CHECK(
      next({"2016-10-29 00:00:00+02:00", "2016-10-30 00:00:00+02:00", "2016-10-31 00:00:00+01:00"},
           1) == Texts{"2016-11-01 00:00:00+01:00"});
  CHECK(next({"2016-07-01T00:00:00Z", "2016-07-01T00:00:01Z"}, 1) == Texts{"2016-07-01T00:00:02Z"});
}

TEST_CASE("dates: continued with the digits that they began with") {
  CHECK(next({"6/30/2016 23:00", "7/1/2016 0:00"}, 2) == Texts{"7/1/2016 1:00", "7/1/2016 2:00"});
  CHECK(next({"07/13/2016 08:00 AM", "07/13/2016 09:00 AM"}, 1) == Texts{"07/13/2016 10:00 AM"});
  CHECK(next({"06/30/2016 12:00 AM", "06/30/2016 01:00 AM"}, 1) == Texts{"06/30/2016 02:00 AM"});
  CHECK(next({"2016-07-01 00:00:00.00", "2016-07-01 00:00:00.25"}, 2) ==
        Texts{"2016-07-01 00:00:00.50", "2016-07-01 00:00:00.75"});
  CHECK(next({"March 31, 2016", "April 30, 2016"}, 1) == Texts{"May 31, 2016"});
  CHECK(next({"Fri, 01 Jul 2016", "Sat, 02 Jul 2016"}, 1) == Texts{"Sun, 03 Jul 2016"});
  CHECK(next({"2016Q3", "2016Q4", "2017Q1"}, 1) == Texts{"2017Q2"});
  CHECK(next({"2016063022", "2016063023"}, 1) == Texts{"2016070100"});
}

TEST_CASE("dates: an order that is known decides, and is kept to") {
  const Texts both{"03/04/2016", "04/04/2016"};
  CHECK(read_dates(both, "t", {.order = "dmy"}).pattern == "d/m/Y");
  CHECK(read_dates(both, "t", {.order = "mdy"}).pattern == "m/d/Y");
  CHECK(read_dates({"2016-04-03"}, "t", {.order = "dmy"}).pattern == "Y-m-d");  // not in doubt
  const std::vector<Size> lines{7, 9};
  CHECK_THROWS_WITH(
      (void)read_dates({"03/04/2016", "13/04/2016"}, "t", {.order = "mdy", .lines = &lines}),
      "[dates] the column 't', line 9: '13/04/2016' is not a date in the order mdy "
      "(d day, m month)");
  CHECK_THROWS_WITH((void)read_dates({"2016-04-03", ""}, "t", {.lines = &lines}),
                    "[dates] the column 't', line 9: the date is missing");
  CHECK_THROWS_WITH((void)read_dates(both, "t", {.advice = ", or ask"}),
                    doctest::Contains("No row tells; write 2016-07-01, or ask"));
  // Two digits for the year: 16/07/01 could be the 16th of July 2001.
  CHECK_THROWS_WITH((void)read_dates({"16/07/01", "16/07/02"}, "t"), doctest::Contains("No row"));
  CHECK(pattern({"16/07/31", "16/08/01"}) == "y/m/d");
  // Hours follow each other in one order only.
  CHECK(pattern({"01/02/2020 22:00", "01/02/2020 23:00", "02/02/2020 00:00"}) == "d/m/Y H:M");
}
