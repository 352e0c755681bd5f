/// JPEG (ITU-T T.81 annex B, JFIF, EXIF).
enum JPEG: ImageStructure {
  static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var reader = file
    try reader.skip(2)
    var info: ImageInfo?
    var orientation: ImageOrientation?
    var packetOrientation: ImageOrientation?
    var frames: Int?
    while true {
      var segment = try Segment(&reader, &parts)
      switch segment.marker {
      case .startOfScan:
        guard var info else {
          throw ImageError(.malformed, at: segment.offset, "Expected the frame header before the first scan.")
        }
        info.orientation = orientation ?? packetOrientation ?? .up
        info.frames = frames ?? 1
        return info
      case .app1 where orientation == nil:
        guard try Exif.isExif(segment.payload) else {
          if packetOrientation == nil { packetOrientation = try Self.orientation(inPacket: segment.payload) }
          break
        }
        try segment.payload.requireAll()
        orientation = Exif.orientation(segment.payload)
      case .app2 where frames == nil:
        frames = try MultiPicture.count(segment.payload)
      case let marker where marker.isFrameHeader:
        guard info == nil else { break }
        let frame = try FrameHeader(&segment)
        info = ImageInfo(format: .jpeg, width: frame.width, height: frame.height, bitDepth: frame.precision)
      case .endOfImage:
        throw ImageError(.malformed, at: segment.offset, "The picture ends before its first scan.")
      default: break
      }
    }
  }
}

extension JPEG {
  /// Returns the orientation in an XMP segment; nil for any other segment.
  private static func orientation(inPacket payload: ByteReader) throws(ImageError) -> ImageOrientation? {
    guard payload.remaining > XMP.jpegSignature.count,
      try payload.matches(XMP.jpegSignature, at: payload.position)
    else { return nil }
    try payload.requireAll()
    return XMP.orientation(payload)
  }

  /// The second byte of a marker (T.81 table B.1).
  struct Marker: RawRepresentable, Hashable {
    var rawValue: Int

    static let defineHuffmanTables = Marker(rawValue: 0xC4)
    static let arithmeticConditioning = Marker(rawValue: 0xCC)
    static let jpegExtensions = Marker(rawValue: 0xC8)
    static let startOfImage = Marker(rawValue: 0xD8)
    static let endOfImage = Marker(rawValue: 0xD9)
    static let startOfScan = Marker(rawValue: 0xDA)
    static let app1 = Marker(rawValue: 0xE1)
    static let app2 = Marker(rawValue: 0xE2)

    /// SOF0 to SOF15, except the three other markers in that range.
    var isFrameHeader: Bool {
      (0xC0...0xCF).contains(rawValue) && self != .defineHuffmanTables && self != .jpegExtensions
        && self != .arithmeticConditioning
    }

    /// RST0 to RST7, which occur inside scans.
    var isRestart: Bool { (0xD0...0xD7).contains(rawValue) }

    /// Whether no length follows: TEM, RSTn, SOI, EOI.
    var standsAlone: Bool { rawValue == 0x01 || (0xD0...0xD9).contains(rawValue) }
  }

  /// A marker with its payload.
  struct Segment {
    var offset: Int
    var marker: Marker
    /// The bytes after the length; empty for a marker without one.
    var payload: ByteReader

    init(_ reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
      try parts.count(at: reader.position)
      // Some writers leave bytes between segments; decoders skip a limited number of them.
      var strayBytes = 0
      while try reader.uint8() != 0xFF {
        strayBytes += 1
        guard strayBytes <= 4096 else {
          throw ImageError(.malformed, at: reader.position, "Expected a marker.")
        }
      }
      // Any number of fill bytes may precede the second byte of a marker (T.81 §B.1.1.2).
      var code = 0xFF
      while code == 0xFF { code = try reader.uint8() }
      marker = Marker(rawValue: code)
      offset = reader.position - 2
      if code == 0 || marker.standsAlone {
        payload = try reader.take(0)
      } else {
        let length = try reader.uint16()
        guard length >= 2 else {
          throw ImageError(.malformed, at: offset, "A segment is shorter than its length field.")
        }
        payload = try reader.take(length - 2)
      }
    }
  }

  /// The contents of SOFn (T.81 §B.2.2).
  struct FrameHeader {
    var precision: Int
    var height: Int
    var width: Int
    var components: Int

    init(_ segment: inout Segment) throws(ImageError) {
      precision = try segment.payload.uint8()
      height = try segment.payload.uint16()
      width = try segment.payload.uint16()
      components = try segment.payload.uint8()
      guard height > 0 else {
        throw ImageError(
          .unsupported, at: segment.offset, "The height is only stated after the first scan, which is not supported.")
      }
      guard width > 0, (2...16).contains(precision), (1...4).contains(components) else {
        throw ImageError(.malformed, at: segment.offset, "The frame header has no width or no components.")
      }
    }
  }
}

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

/// The index of several consecutive JPEG pictures (CIPA DC-007).
enum MultiPicture {
  private static let marker: [UInt8] = Array("MPF\0".utf8)
  private static let numberOfImages = 0xB001

  /// Returns the number of pictures in an APP2 segment; nil without a valid index.
  static func count(_ segment: ByteReader) throws(ImageError) -> Int? {
    guard segment.remaining >= 8, try segment.matches(marker, at: segment.position) else { return nil }
    try segment.requireAll()
    return try? announced(segment)
  }

  private static func announced(_ segment: ByteReader) throws(ImageError) -> Int? {
    var segment = segment
    try segment.skip(marker.count)
    var tiff = segment.takeRest()
    let (offset, isBig) = try TIFFDirectory.first(&tiff)
    let directory = try TIFFDirectory(tiff, at: offset, isBig: isBig)
    for index in 0..<min(directory.count, 16) {
      let entry = try directory.entry(index)
      guard entry.tag == numberOfImages else { continue }
      let count = try directory.value(0, of: entry)
      // 16 bytes describe each picture, all in this one segment.
      return (1...4096).contains(count) ? count : nil
    }
    return nil
  }
}
