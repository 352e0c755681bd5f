extension ItemStore {
  /// Returns the properties of the primary item as image information.
  func info(_ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) -> ImageInfo {
    guard primaryItem != 0 else {
      throw ImageError(.malformed, at: 0, "Expected a primary item, which names the picture.")
    }
    try checkSizes(limits)
    var size: (width: Int, height: Int)?
    var depth: Int?
    var orientation = ImageOrientation.up
    var hasAlpha = false
    for property in properties(of: primaryItem) {
      var content = property.content
      switch property.type {
      case .ispe:
        _ = try Box.version(&content)
        size = (try content.uint32(), try content.uint32())
      case .clap:
        guard let stored = size, let crop = try CleanAperture(&content).size else { break }
        // A crop after a quarter turn applies to swapped sides.
        let cropped = orientation.swapsSides ? (width: crop.height, height: crop.width) : crop
        if cropped.width <= stored.width, cropped.height <= stored.height { size = cropped }
      case .irot:
        // The property counts quarter turns anticlockwise.
        orientation = orientation.turned(clockwise: 4 - (try content.uint8() & 3))
      case .imir:
        orientation =
          try content.uint8() & 1 == 0 ? orientation.mirroredTopBottom() : orientation.mirroredLeftRight()
      case .cmpd: hasAlpha = try CodecProperty.declaresAlpha(content)
      default: depth = try CodecProperty.bitDepth(property) ?? depth
      }
    }
    guard let size else {
      throw ImageError(.malformed, at: 0, "The picture has no size property.")
    }
    if depth == nil, let input = firstInput(of: primaryItem) {
      for property in properties(of: input) { depth = try CodecProperty.bitDepth(property) ?? depth }
    }
    if !hasAlpha { hasAlpha = try hasAlphaPlane }
    return ImageInfo(
      format: format, width: size.width, height: size.height, orientation: orientation, hasAlpha: hasAlpha,
      bitDepth: depth ?? 8)
  }
}

extension ItemStore {
  /// Whether the picture, or a part that it is composed of, has an alpha plane.
  ///
  /// The plane of a grid belongs to the grid or, as libavif and others write it, to each of its tiles.
  private var hasAlphaPlane: Bool {
    get throws(ImageError) {
      var items: Set<Int> = [primaryItem]
      // A derived item may consist of derived items, such as a turned grid of tiles.
      for _ in 0..<4 where !items.isEmpty {
        for item in auxiliaryItems(of: items) {
          for property in properties(of: item) where property.type == .auxC {
            if try CodecProperty.isAlpha(property.content) { return true }
          }
        }
        items = inputs(of: items)
      }
      return false
    }
  }

  /// Rejects sizes beyond the limit.
  ///
  /// The sizes of tiles and alpha planes, and sizes before cropping, are checked, too.
  private func checkSizes(_ limits: ImageLimits) throws(ImageError) {
    for property in properties where property.type == .ispe {
      var content = property.content
      _ = try Box.version(&content)
      try limits.checkPixels(width: try content.uint32(), height: try content.uint32(), at: property.offset)
    }
  }
}

/// The crop of a picture, in fractions (ISO/IEC 14496-12 §12.1.4).
private struct CleanAperture {
  /// The cropped size; nil if the fractions are invalid or not whole pixels.
  var size: (width: Int, height: Int)?

  init(_ content: inout ByteReader) throws(ImageError) {
    let width = (try content.uint32(), try content.uint32())
    let height = (try content.uint32(), try content.uint32())
    guard width.1 > 0, height.1 > 0, width.0 >= width.1, height.0 >= height.1 else { return }
    size = (width.0 / width.1, height.0 / height.1)
  }
}

extension FourCC {
  fileprivate static let ispe = FourCC("ispe")
  fileprivate static let clap = FourCC("clap")
  fileprivate static let irot = FourCC("irot")
  fileprivate static let imir = FourCC("imir")
  fileprivate static let auxC = FourCC("auxC")
  fileprivate static let cmpd = FourCC("cmpd")
}
