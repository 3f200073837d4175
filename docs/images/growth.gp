# The pictures of docs/performance.md on growth: gnuplot growth.gp, in this folder, from what tests/bench/scaling.sh measured.
# Time of a training step and peak memory of the process; both axes logarithmic, so that a power is a straight line.
set terminal pngcairo size 1000,420 font "sans,11"
set datafile missing "?"
set logscale xy
set grid linecolor "#dddddd"
set style line 1 linecolor "#1f77b4" linewidth 2 pointtype 7
set style line 2 linecolor "#d62728" linewidth 2 pointtype 5

do for [c = 1:3] {
  name = word("time variables batch", c)
  unit = (c == 1) ? "time steps" : (c == 2) ? "variables" : "batch"
  data = "growth_" . name . ".dat"
  set output "growth_" . name . ".png"
  set multiplot layout 1, 2
  set xlabel unit
  set title "a training step"; set ylabel "ms"; set key default; set key top left
  plot data using 1:($2 / 1000) with linespoints linestyle 1 title "axisgrad", \
       data using 1:($4 / 1000) with linespoints linestyle 2 title "PyTorch"
  set title "peak memory of the process"; set ylabel "MB"; set key at graph 0.02, 0.65 left
  plot data using 1:3 with linespoints linestyle 1 title "axisgrad", \
       data using 1:5 with linespoints linestyle 2 title "PyTorch"
  unset multiplot
}
unset output
