# What axes.gp and questions.gp draw with: grids of cells, matrices of weights, the frame of a picture.
array colour[6] = [0x9ecae1, 0xfdd0a2, 0xa1d99b, 0xdadaeb, 0xfcbba1, 0xd9d9d9]
n = 0  # objects so far
# A grid of r rows and c columns of cells, upper left corner (x, y); cell (i, j) has the colour
# number by_row * i + by_column * j + first.
grid = 'do for [i = 0:r - 1] { do for [j = 0:c - 1] { n = n + 1; set object n rectangle from x + j * s, y - i * s rto s, -s fillcolor rgb colour[int(by_row * i + by_column * j + first) % 6 + 1] fillstyle solid border linecolor "white" } }'
# A matrix of weights, t by t: strips of the tokens' colours at its sides, grey cells.
matrix = 'do for [i = 0:t - 1] { n = n + 1; set object n rectangle from x - .8 * s, y - i * s rto .6 * s, -s fillcolor rgb colour[i % 6 + 1] fillstyle solid border linecolor "white"; n = n + 1; set object n rectangle from x + i * s, y + .2 * s rto s, .6 * s fillcolor rgb colour[i % 6 + 1] fillstyle solid border linecolor "white"; do for [j = 0:t - 1] { n = n + 1; set object n rectangle from x + j * s, y - i * s rto s, -s fillcolor rgb 0xeeeeee fillstyle solid border linecolor "#999999" } }'
begin = 'reset; n = 0; set terminal pngcairo size 900,300 font "DejaVu Sans,11"; set output name.".png"; unset border; unset tics; unset key; set lmargin 0; set rmargin 0; set tmargin 0; set bmargin 0; set xrange [0:90]; set yrange [0:30]; set label 101 title at 45, 28.3 center font "DejaVu Sans,13" noenhanced; set arrow 1 from 43, 15 to 49, 15 linewidth 2 linecolor "#555555"; set label 102 "query, key" at 46, 17 center textcolor "#555555"'
finish = 'plot -1 notitle; unset output'
