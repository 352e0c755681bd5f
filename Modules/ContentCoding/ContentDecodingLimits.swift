/// Limits how much output a decoder produces for its input.
///
/// Memory needs no limit of its own: content is decoded as it is read, 64 kB at a time for each coding, beside the
/// coding's window (32 kB for gzip and deflate, at most 16 MB for brotli, `zstdWindow` for zstd). These limits stop
/// decompression bombs.
public struct ContentDecodingLimits: Sendable, Hashable {
  /// The maximum number of decoded bytes, 0 or more; nil, the default, sets no limit.
  ///
  /// A reader that collects a body or writes it to a file has a limit of its own.
  public var output: Int64?
  /// The maximum ratio of decoded to coded bytes, 1 or more; 500 by default.
  ///
  /// It is checked once the decoded bytes exceed `allowance`.
  ///
  /// Text reaches 20, deflate cannot exceed 1,032, and brotli and zstd turn a few hundred bytes into gigabytes. With
  /// several codings the limit applies to the output of each.
  public var ratio = 500
  /// The number of decoded bytes, 0 or more, up to which `ratio` is not checked.
  ///
  /// 256 MB by default.
  public var allowance: Int64 = 256 << 20
  /// The maximum number of codings of one body, 1 or more; 4 by default.
  public var codings = 4
  /// The largest window of zstd content in bytes; 8 MB by default.
  ///
  /// A power of two from 1 kB to 128 MB; other values are rounded down.
  ///
  /// A decoder must support 8 MB, and an encoder must not exceed that (RFC 9659 §3).
  public var zstdWindow = 8 << 20

  /// Creates the default limits.
  public init() {}

  /// The base-2 logarithm of the window's size, as libzstd takes it.
  var zstdWindowLog: Int {
    let bytes = min(max(zstdWindow, 1 << 10), 128 << 20)
    return Int.bitWidth - 1 - bytes.leadingZeroBitCount
  }
}
