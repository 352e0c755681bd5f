extension HEIF {
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = file
    while try reader.hasMore() {
      let box = try Box(&reader, &parts)
      try box.content.requireAll()
      switch box.type {
      case .meta: try verifyLocations(of: try ItemStore(box.content, &parts), in: file, &parts)
      case .moov: try verifyTrack(in: box.content, file, &parts)
      default: break
      }
    }
  }

  /// Checks that every chunk of a sequence starts in the file.
  ///
  /// See ISO/IEC 14496-12 §8.7.5. The end of a chunk follows from the box that contains it, which is checked as a whole.
  private static func verifyTrack(
    in moov: ByteReader, _ file: ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) {
    guard let track = try PictureTrack.first(in: moov, &parts), var offsets = track.chunkOffsets else { return }
    _ = try Box.version(&offsets)
    for _ in 0..<(try offsets.uint32()) {
      try parts.count(at: offsets.position)
      let offset = try offsets.length(bytes: track.chunkOffsetSize)
      try file.window(at: offset, count: min(1, Int.max - offset)).requireAll()
    }
  }

  /// Checks that the bytes of every item are in the file (ISO/IEC 14496-12 §8.11.3).
  private static func verifyLocations(
    of items: ItemStore, in file: ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) {
    guard var reader = items.locations else {
      throw ImageError(.malformed, at: 0, "Expected an iloc box that locates the items.")
    }
    let (version, _) = try Box.version(&reader)
    let sizes = try reader.uint16()
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version == 0 ? 0 : sizes & 15
    guard version <= 2, max(offsetSize, lengthSize, baseSize, indexSize) <= 8 else {
      throw ImageError(.malformed, at: reader.start, "The item locations have an unknown version.")
    }
    var hasPrimary = false
    for _ in 0..<(try version < 2 ? reader.uint16() : reader.uint32()) {
      let item = try version < 2 ? reader.uint16() : reader.uint32()
      let method = try version == 0 ? 0 : reader.uint16() & 15
      let dataReference = try reader.uint16()
      let base = try reader.length(bytes: baseSize)
      if item == items.primaryItem { hasPrimary = true }
      for _ in 0..<(try reader.uint16()) {
        try parts.count(at: reader.position)
        try reader.skip(indexSize)
        let offset = try reader.length(bytes: offsetSize)
        let length = try reader.length(bytes: lengthSize)
        // A data reference other than 0 means another file, and methods from 2 on refer to other items.
        guard dataReference == 0, method < 2 else { continue }
        guard let container = method == 0 ? file : items.itemData else {
          throw ImageError(.malformed, at: reader.position, "The idat box with the bytes of an item is missing.")
        }
        try verifyExtent(base, offset, length, in: container)
      }
    }
    guard hasPrimary else {
      throw ImageError(.malformed, at: reader.start, "The picture has no location for its bytes.")
    }
  }

  private static func verifyExtent(
    _ base: Int, _ offset: Int, _ length: Int, in container: ByteReader
  ) throws(ImageError) {
    let (relative, overflow) = base.addingReportingOverflow(offset)
    guard !overflow else {
      throw ImageError(.malformed, at: container.start, "An offset points outside its container.")
    }
    var reader = container
    try reader.move(toRelative: relative)
    try reader.take(length).requireAll()
  }
}
