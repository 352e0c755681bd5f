extension ItemStore {
  /// What the properties of the primary item say of the picture.
  func info(_ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) -> ImageInfo {
    guard primaryItem != 0 else {
      throw ImageError(.malformed, at: 0, "No item is named as the picture.")
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
        // A crop behind a turn sees the sides exchanged.
        let cropped = orientation.swapsSides ? (width: crop.height, height: crop.width) : crop
        if cropped.width <= stored.width, cropped.height <= stored.height { size = cropped }
      case .irot:
        // Quarter turns anticlockwise.
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
    for item in auxiliaryItems(of: primaryItem) where !hasAlpha {
      for property in properties(of: item) where property.type == .auxC {
        if try CodecProperty.isAlpha(property.content) { hasAlpha = true }
      }
    }
    return ImageInfo(
      format: format, width: size.width, height: size.height, orientation: orientation, hasAlpha: hasAlpha,
      bitDepth: depth ?? 8)
  }
}

extension ItemStore {
  /// Refuses sizes beyond the limit wherever they stand: of tiles, of alpha planes, and before a crop.
  private func checkSizes(_ limits: ImageLimits) throws(ImageError) {
    for property in properties where property.type == .ispe {
      var content = property.content
      _ = try Box.version(&content)
      try limits.checkPixels(width: try content.uint32(), height: try content.uint32(), at: property.offset)
    }
  }
}

/// The crop of a picture: size and place as fractions (ISO/IEC 14496-12 §12.1.4).
private struct CleanAperture {
  /// The size after the crop, nil when the fractions are none or state no whole pixel.
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
