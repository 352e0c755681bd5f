/// The transformation that shows stored pixels upright.
///
/// The values are those of tag 274 in EXIF 2.32, and the raw value is the number that EXIF, TIFF and JPEG XL use. The
/// rotation and mirroring of HEIF and AVIF (`irot`, `imir`) are converted to it.
public enum ImageOrientation: Int, CaseIterable, Hashable, Sendable {
  /// As stored: the first row is the top, the first column the left side.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored left to right, then turned by 270° clockwise.
  case leftMirrored = 5
  /// Turned by 90° clockwise.
  case right = 6
  /// Mirrored left to right, then turned by 90° clockwise.
  case rightMirrored = 7
  /// Turned by 270° clockwise.
  case left = 8
}

extension ImageOrientation {
  /// Whether width and height are swapped when the picture is shown upright.
  public var swapsSides: Bool { rawValue >= 5 }

  /// The clockwise quarter turns after mirroring.
  private var quarterTurns: Int {
    switch self {
    case .up, .upMirrored: 0
    case .right, .rightMirrored: 1
    case .down, .downMirrored: 2
    case .left, .leftMirrored: 3
    }
  }

  private var isMirrored: Bool {
    switch self {
    case .up, .down, .left, .right: false
    case .upMirrored, .downMirrored, .leftMirrored, .rightMirrored: true
    }
  }

  private init(quarterTurns: Int, isMirrored: Bool) {
    self =
      switch (quarterTurns & 3, isMirrored) {
      case (0, false): .up
      case (0, true): .upMirrored
      case (1, false): .right
      case (1, true): .rightMirrored
      case (2, false): .down
      case (2, true): .downMirrored
      case (_, false): .left
      case (_, true): .leftMirrored
      }
  }

  /// Returns this orientation followed by clockwise quarter turns, up to 3.
  func turned(clockwise turns: Int) -> ImageOrientation {
    ImageOrientation(quarterTurns: quarterTurns + turns, isMirrored: isMirrored)
  }

  /// Returns this orientation followed by mirroring left to right.
  func mirroredLeftRight() -> ImageOrientation {
    ImageOrientation(quarterTurns: 4 - quarterTurns, isMirrored: !isMirrored)
  }

  /// Returns this orientation followed by mirroring top to bottom.
  func mirroredTopBottom() -> ImageOrientation {
    ImageOrientation(quarterTurns: 6 - quarterTurns, isMirrored: !isMirrored)
  }
}
