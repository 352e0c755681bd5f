/// Limits for what a picture may declare.
///
/// A few bytes can declare a picture of terabytes. Declared sizes are therefore checked before they are used.
public struct ImageLimits: Hashable, Sendable {
  /// The maximum number of pixels of a picture or of one of its frames.
  ///
  /// Width times height. The default is 268,435,456: one GiB at four bytes per pixel.
  public var maximumPixels: Int
  /// The maximum number of parts of a file that are read.
  ///
  /// Chunks, segments, boxes, directories, fields and strips are parts. The default is 1,048,576.
  public var maximumParts: Int

  /// Creates limits; negative values count as zero.
  public init(maximumPixels: Int = 1 << 28, maximumParts: Int = 1 << 20) {
    self.maximumPixels = max(0, maximumPixels)
    self.maximumParts = max(0, maximumParts)
  }

  /// The default limits.
  public static let `default` = ImageLimits()
}

extension ImageLimits {
  /// Throws for an empty picture and for one with too many pixels.
  func check(width: Int, height: Int, at offset: Int) throws(ImageError) {
    guard width > 0, height > 0 else {
      throw ImageError(.malformed, at: offset, "The picture's width or height is zero.")
    }
    try checkPixels(width: width, height: height, at: offset)
  }

  /// Throws for a picture with too many pixels, but not for an empty one.
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
      throw ImageError(.tooManyParts, at: offset, "The file has more parts than ImageLimits.maximumParts allows.")
    }
    left -= 1
  }
}
