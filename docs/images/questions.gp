# The pictures of docs/questions.md: gnuplot questions.gp, in this folder. One sample each, a colour
# for what is weighed against each other: one softmax runs over cells of one colour.
load "axes_parts.gp"

name = "question_time_gate"; title = "TimeAttentionBlock: x (B,T,F) times weights (B,T,F), one softmax down each column"
@begin
unset label 102; set label 102 "Dense over time,\nsoftmax" at 46, 19.5 center textcolor "#555555"
s = 3; x = 13; y = 22; r = 4; c = 6; by_row = 0; by_column = 1; first = 0
@grid
set label 1 "time" at 11.5, 16 right; set label 2 "feature" at 22, 8 center
x = 57
@grid
set label 3 "weights: each column sums to 1" at 66, 8 center
set label 4 "out = x * weights, (B,T,F)" at 46, 3.5 center
@finish

name = "question_feature_gate"; title = "FeatureAttentionBlock: x (B,T,F) times weights (B,T,F), one softmax along each row"
@begin
unset label 102; set label 102 "Dense over\nfeatures, softmax" at 46, 19.5 center textcolor "#555555"
s = 3; x = 13; y = 22; r = 4; c = 6; by_row = 1; by_column = 0; first = 0
@grid
set label 1 "time" at 11.5, 16 right; set label 2 "feature" at 22, 8 center
x = 57
@grid
set label 3 "weights: each row sums to 1" at 66, 8 center
set label 4 "out = x * weights, (B,T,F)" at 46, 3.5 center
@finish

name = "question_pool"; title = "Attention(units): LSTM states (B,T,D) become one vector (B,units)"
@begin
unset label 102; unset arrow 1
s = 3; x = 10; y = 22; r = 4; c = 5; by_row = 1; by_column = 0; first = 0
@grid
set label 1 "time" at 8.5, 16 right; set label 2 "LSTM units" at 17.5, 8 center
set arrow 1 from 27, 16 to 33, 16 linewidth 2 linecolor "#555555"; set label 5 "scored\nagainst\nthe last" at 30, 22.5 center textcolor "#555555"
x = 38; c = 1
@grid
set label 3 "weights (B,T):\nthe column\nsums to 1" at 39.5, 8 center
set arrow 2 from 45, 16 to 51, 16 linewidth 2 linecolor "#555555"; set label 6 "sum of\nweight * state" at 48, 20 center textcolor "#555555"
x = 56; y = 17.5; r = 1; c = 5; first = 5
@grid
set label 7 "context (B,D)" at 63.5, 12 center
set arrow 3 from 73, 16 to 78, 16 linewidth 2 linecolor "#555555"; set label 8 "with the last\nstate, Dense,\ntanh" at 75.5, 22.5 center textcolor "#555555"; set label 9 "(B,units)" at 79, 16
@finish

name = "question_variable_query"; title = "VariableQueryAttention: one variable asks, the steps of all variables answer"
@begin
s = 2.6; x = 5; y = 22; r = 4; c = 1; by_row = 1; by_column = 0; first = 0
@grid
set label 1 "queries:\nvariable v alone\n(B,T,1)" at 6.3, 8 center
x = 21; c = 5
@grid
set label 2 "keys and values:\nall variables (B,T,F)" at 27.5, 8 center
set label 10 "steps" at 19.5, 17 right
s = 2.2; t = 4; y = 20
do for [k = 0:2] {
  x = 53 + 12.3 * k
  @matrix
  set label 20 + k sprintf("v = %d", k) at x + 4.4, 23.5 center
}
set label 3 "weights (B,V,H,T,T): for each variable that asks,\nits steps by the steps of all; each row sums to 1" at 69, 7 center
@finish

name = "question_dual_stage"; title = "Dual stage: which feature? then an LSTM, then: when?"
@begin
unset label 102; unset arrow 1
s = 2.6; x = 6; y = 22; r = 4; c = 6; by_row = 1; by_column = 0; first = 0
@grid
set label 1 "time" at 5, 17 right; set label 2 "x * feature weights (B,T,F):\neach row of weights sums to 1" at 14, 8 center
set arrow 1 from 24, 17 to 34, 17 linewidth 2 linecolor "#555555"; set label 3 "LSTM" at 29, 19.5 center textcolor "#555555"
x = 38; c = 5; by_row = 0; by_column = 0; first = 5
@grid
set label 4 "states (B,T,U)" at 44.5, 8 center
set arrow 2 from 53, 17 to 59, 17 linewidth 2 linecolor "#555555"
x = 63; c = 1; first = 1
@grid
set label 5 "time weights (B,T):\nthe column sums to 1" at 64.3, 8 center
set arrow 3 from 68, 17 to 78, 17 linewidth 2 linecolor "#555555"; set label 6 "sum, Dense" at 73, 19.5 center textcolor "#555555"; set label 7 "(B,outputs)" at 79, 17
@finish

name = "question_correlation"; title = "Weights and correlation are two matrices (B,V,V) of the same variables"
@begin
unset label 102; unset arrow 1
s = 2.4; x = 3; y = 21; r = 4; c = 5; by_row = 0; by_column = 1; first = 0
@grid
set label 1 "x (B,T,V)" at 9, 8 center
t = 5; x = 29; y = 20
@matrix
set label 2 "attention: each row sums to 1,\nno signs, not symmetric" at 35, 4.5 center
x = 64
@matrix
set label 3 "Pearson's r: symmetric, -1 to 1,\nthe diagonal is 1" at 70, 4.5 center
do for [k = 0:4] { n = n + 1; set object n rectangle from x + k * s, y - k * s rto s, -s fillcolor rgb 0x2166ac fillstyle solid border linecolor "#999999" }
@finish

name = "question_reshape"; title = "(B,T,V*d) in memory: a reshape to (B,V,T,d) is no transposition"
@begin
unset label 102; unset arrow 1
s = 2.6; x = 8; y = 22; r = 4; c = 6; by_row = 0; by_column = .5; first = 0
@grid
set label 1 "time" at 6.5, 17 right; set label 2 "x: 3 variables of d = 2 each,\na colour for each" at 16, 8 center
set label 11 "the \"variables\" afterwards" at 68, 25.3 center
s = 1.8
do for [k = 0:2] {
  y = 23 - 5.2 * k; x = 50; r = 1; c = 8; by_column = 0
  set label 20 + k sprintf("%d", k) at x - 2, y - .9
  do for [m = 0:7] { n = n + 1; set object n rectangle from x + m * s, y rto s, -s fillcolor rgb colour[int((8 * k + m) / 2) % 3 + 1] fillstyle solid border linecolor "white" }
  do for [m = 0:7] { n = n + 1; set object n rectangle from x + 22 + m * s, y rto s, -s fillcolor rgb colour[k + 1] fillstyle solid border linecolor "white" }
}
set label 30 "reshape: all three in each" at 57, 8 center; set label 31 "transpose: one in each" at 79, 8 center
@finish
