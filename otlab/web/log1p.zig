// log1p for the kernels, which Zig's compiler-rt has not.
const std = @import("std");
export fn log1p(x: f64) f64 {
    return std.math.log1p(x);
}
