# The pictures of docs/attention_axis.md on axis and embed_axis: gnuplot axes.gp, in this folder.
# Each shows one sample: on the left x, one colour for each token; on the right the weights, a row
# for each token that asks.
array colour[6] = [0x9ecae1, 0xfdd0a2, 0xa1d99b, 0xdadaeb, 0xfcbba1, 0xd9d9d9]
n = 0  # objects so far
# A grid of r rows and c columns of cells, upper left corner (x, y); cell (i, j) has the colour
# number by_row * i + by_column * j + first.
grid = 'do for [i = 0:r - 1] { do for [j = 0:c - 1] { n = n + 1; set object n rectangle from x + j * s, y - i * s rto s, -s fillcolor rgb colour[int(by_row * i + by_column * j + first) % 6 + 1] fillstyle solid border linecolor "white" } }'
# A matrix of weights, t by t: strips of the tokens' colours at its sides, grey cells.
matrix = 'do for [i = 0:t - 1] { n = n + 1; set object n rectangle from x - .8 * s, y - i * s rto .6 * s, -s fillcolor rgb colour[i % 6 + 1] fillstyle solid border linecolor "white"; n = n + 1; set object n rectangle from x + i * s, y + .2 * s rto s, .6 * s fillcolor rgb colour[i % 6 + 1] fillstyle solid border linecolor "white"; do for [j = 0:t - 1] { n = n + 1; set object n rectangle from x + j * s, y - i * s rto s, -s fillcolor rgb 0xeeeeee fillstyle solid border linecolor "#999999" } }'
begin = 'reset; n = 0; set terminal pngcairo size 900,300 font "DejaVu Sans,11"; set output name.".png"; unset border; unset tics; unset key; set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0; set xrange [0:90]; set yrange [0:30]; set label 101 title at 45, 28.3 center font "DejaVu Sans,13" noenhanced; set arrow 1 from 43, 15 to 49, 15 linewidth 2 linecolor "#555555"; set label 102 "query, key" at 46, 17 center textcolor "#555555"'
finish = 'plot -1 notitle; unset output'

name = "axis_time"; title = "x (B,T,F), axis = time: tokens are steps, embedded from their F features"
@begin
s = 3; x = 13; y = 22; r = 4; c = 8; by_row = 1; by_column = 0; first = 0
@grid
set label 1 "time" at 11.5, 16 right; set label 2 "feature (the embed axis)" at 25, 8 center
s = 3; x = 57; y = 20; t = 4
@matrix
set label 3 "weights (B,H,T,T): a step looks at steps" at 63, 5 center; set label 4 "each row\nsums to 1" at 71, 15
@finish

name = "axis_feature"; title = "x (B,T,F), axis = feature: tokens are variables, embedded from their T steps"
@begin
s = 3; x = 16; y = 22; r = 4; c = 6; by_row = 0; by_column = 1; first = 0
@grid
set label 1 "time\n(the embed axis)" at 14.5, 17 right; set label 2 "feature" at 25, 8 center
s = 2.4; x = 57; y = 21; t = 6
@matrix
set label 3 "weights (B,H,F,F): a variable looks at variables" at 64, 4.5 center; set label 4 "each row\nsums to 1" at 73.5, 15
@finish

name = "axis_rank4_time"; title = "x (B,T,V,E), axis = 1: each variable attends over its own steps"
@begin
s = 2.4
do for [k = 0:2] {
  x = 3 + 13 * k; y = 22; r = 4; c = 4; by_row = 1; by_column = 0; first = 0
  @grid
  set label 10 + k sprintf("variable %d", k) at x + 4.8, 24 center
}
set label 1 "down: time; across: E (the embed axis)" at 21, 9 center
s = 2.2; t = 4; y = 20
do for [k = 0:2] {
  x = 53 + 12.3 * k
  @matrix
  set label 20 + k sprintf("variable %d", k) at x + 4.4, 23.5 center
}
set label 3 "weights (B,V,H,T,T):\na step looks at steps, for each variable" at 69, 9 center
@finish

name = "axis_rank4_variables"; title = "x (B,T,V,E), axis = 2: at each step variables attend to variables"
@begin
s = 2.4
do for [k = 0:2] {
  x = 3 + 13 * k; y = 22; r = 4; c = 4; by_row = 0; by_column = 0; first = k
  @grid
  set label 10 + k sprintf("variable %d", k) at x + 4.8, 24 center
}
set label 1 "down: time; across: E (the embed axis)" at 21, 9 center
s = 1.9; t = 3; y = 19
do for [k = 0:3] {
  x = 53 + 9.5 * k
  @matrix
  set label 20 + k sprintf("step %d", k) at x + 2.8, 22.3 center
}
set label 3 "weights (B,T,H,V,V):\na variable looks at variables, for each step" at 69, 9 center
@finish

name = "axis_joint"; title = "x (B,T,V,E), axis = {1, 2}: every variable at every step is a token"
@begin
s = 2.4
do for [k = 0:2] {
  x = 3 + 13 * k; y = 20; r = 2; c = 4; by_row = 3; by_column = 0; first = k
  @grid
  set label 10 + k sprintf("variable %d", k) at x + 4.8, 22 center
}
set label 1 "down: time (2 steps); across: E (the embed axis)" at 21, 12 center
s = 2.2; t = 6; x = 57; y = 21
@matrix
set label 3 "weights (B,H,TV,TV): tokens in the order of the axes" at 64, 5 center
@finish

name = "axis_embed"; title = "x (B,T,V,E), axis = 2, embed_axis = 1: variables, embedded from their T steps"
@begin
s = 2.4
do for [k = 0:2] {
  x = 6 + 12 * k; y = 22; r = 4; c = 2; by_row = 0; by_column = 0; first = k
  @grid
  set label 10 + k sprintf("variable %d", k) at x + 2.4, 24 center
}
set label 1 "down: time (the embed axis)\nacross: E, a batch axis here" at 21, 9 center
s = 2.4; t = 3; y = 19.5
do for [k = 0:1] {
  x = 57 + 15 * k
  @matrix
  set label 20 + k sprintf("element %d of E", k) at x + 3, 23 center
}
set label 3 "weights (B,E,H,V,V):\na variable looks at variables, for each element of E" at 67, 9 center
@finish
