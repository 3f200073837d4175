#include <doctest/doctest.h>

#include <axisgrad/nn/data/dates.hpp>

using namespace axisgrad;
using Texts = std::vector<std::string>;

namespace {

std::string pattern(const Texts& cells) { return read_dates(cells, "date").pattern; }
// The next dates in the form and step of these.
Texts next(const Texts& cells, Size n) {
  const Dates d = read_dates(cells, "date");
  return continued(d, regular_step(d, "date"), n);
}

}  // namespace

TEST_CASE("dates: the forms that are common") {
  constexpr std::int64_t july_first = 1'467'331'200;  // 2016-07-01 00:00
  for (const char* text : {"2016-07-01", "2016/07/01", "20160701", "1 Jul 2016", "Jul 1, 2016",
                           "2016-07-01 00:00", "2016-07-01T00:00:00", "2016-07-01T00:00:00Z",
                           "2016-7-1", "2016-07", "Jul 2016", "2016-07-01 12:00 AM"}) {
    CAPTURE(text);
    CHECK(looks_like_date(text));
    CHECK(read_dates({text}, "date").seconds[0] == july_first);
  }
  CHECK(read_dates({"20160701 13:05"}, "date").seconds[0] == july_first + 13 * 3600 + 300);
  CHECK(read_dates({"13.07.16 12:30 PM"}, "date").seconds[0] ==
        july_first + 12 * 86'400 + 12 * 3600 + 1800);
  CHECK(read_dates({"31.12.1969 23:59:59"}, "date").seconds[0] == -1);
  for (const char* text :
       {"", "1", "2016", "12.5", "2016-13-01", "2015-02-29", "30.02.2016", "2016-07-01 24:00",
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
  CHECK(step({"2020-01-01", "2020-01-02", "2020-01-03"}).seconds == 86'400);
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
