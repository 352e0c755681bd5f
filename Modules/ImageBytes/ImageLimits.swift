/// How much a picture may declare before it is refused.
///
/// A few bytes can declare a picture of terabytes. Declared sizes are checked before anything is done with them.
public struct ImageLimits: Hashable, Sendable {
  /// The most pixels a picture or one of its frames may declare.
  ///
  /// Width times height. The default is 268 435 456: one GiB at four bytes a pixel.
  public var maximumPixels: Int
  /// The most parts of a file that are looked at.
  ///
  /// Chunks, segments, boxes, directories, fields and strips count as parts. The default is 1 048 576.
  public var maximumParts: Int

  /// Sets the limits; negative ones count as zero.
  public init(maximumPixels: Int = 1 << 28, maximumParts: Int = 1 << 20) {
    self.maximumPixels = max(0, maximumPixels)
    self.maximumParts = max(0, maximumParts)
  }

  /// The limits that apply where none are given.
  public static let `default` = ImageLimits()
}

extension ImageLimits {
  /// Refuses an empty picture, and one of more pixels than allowed.
  func check(width: Int, height: Int, at offset: Int) throws(ImageError) {
    guard width > 0, height > 0 else {
      throw ImageError(.malformed, at: offset, "The picture has no pixels.")
    }
    try checkPixels(width: width, height: height, at: offset)
  }

  /// Refuses a picture of more pixels than allowed, not an empty one.
  func checkPixels(width: Int, height: Int, at offset: Int) throws(ImageError) {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= maximumPixels else {
      throw ImageError(
        .tooManyPixels, at: offset,
        "The picture declares \(width) × \(height) pixels, more than the \(maximumPixels) allowed.")
    }
  }
}

/// Counts the parts of one file against a limit.
struct PartCounter {
  private var left: Int

  init(_ limits: ImageLimits) {
    left = limits.maximumParts
  }

  /// Counts one more part.
  mutating func count(at offset: Int) throws(ImageError) {
    guard left > 0 else {
      throw ImageError(.tooManyParts, at: offset, "The file has more parts than are allowed.")
    }
    left -= 1
  }
}
