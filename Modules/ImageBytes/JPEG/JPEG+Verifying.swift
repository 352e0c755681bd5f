extension JPEG {
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = file
    try reader.skip(2)
    var components: Int?
    var scans = 0
    while true {
      var segment = try Segment(&reader, &parts)
      try segment.payload.requireAll()
      switch segment.marker {
      case .endOfImage:
        guard scans > 0 else {
          throw ImageError(.malformed, at: segment.offset, "The picture ends before its first scan.")
        }
        return
      case .startOfImage:
        throw ImageError(.malformed, at: segment.offset, "A second picture starts before the first has ended.")
      case .startOfScan:
        try verifyScanHeader(&segment, components: components)
        scans += 1
        try skipScan(&reader, &parts)
      case let marker where marker.isFrameHeader:
        guard components == nil else {
          throw ImageError(.malformed, at: segment.offset, "There are two frame headers.")
        }
        let length = segment.payload.remaining
        let frame = try FrameHeader(&segment)
        guard length == 6 + 3 * frame.components else {
          throw ImageError(.malformed, at: segment.offset, "The frame header's length does not match its components.")
        }
        try limits.check(width: frame.width, height: frame.height, at: segment.offset)
        components = frame.components
      case let marker where marker.isRestart || marker.rawValue == 0:
        throw ImageError(.malformed, at: segment.offset, "Found a restart marker outside a scan.")
      default: break
      }
    }
  }

  private static func verifyScanHeader(_ segment: inout Segment, components: Int?) throws(ImageError) {
    let length = segment.payload.remaining
    let count = try segment.payload.uint8()
    guard let components, (1...components).contains(count), length == 4 + 2 * count else {
      throw ImageError(.malformed, at: segment.offset, "The scan header does not match the frame header.")
    }
  }

  /// Skips entropy-coded data up to the marker that ends it.
  private static func skipScan(_ reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    while true {
      guard let found = reader.firstOffset(of: 0xFF) else {
        throw reader.endedEarly
      }
      let code = try reader.uint8(at: found + 1)
      // FF 00 is a data byte FF, RSTn is part of the scan, and FF FF is a fill byte.
      if code == 0xFF {
        try reader.move(to: found + 1)
      } else if code == 0 || Marker(rawValue: code).isRestart {
        try reader.move(to: found + 2)
      } else {
        try reader.move(to: found)
        return
      }
    }
  }
}
