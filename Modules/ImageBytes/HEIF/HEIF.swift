/// HEIF and the formats based on it: HEIC and AVIF (ISO/IEC 23008-12, AVIF).
enum HEIF: ImageStructure {
  /// Returns the format that a file's brands state; nil if they name no picture.
  static func brandFormat(_ file: ByteReader) throws(ImageError) -> ImageFormat? {
    try Brands(file)?.format
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    guard let brands = try Brands(file) else {
      throw ImageError(.malformed, at: 8, "The brands name no supported picture format.")
    }
    var reader = file
    var info: ImageInfo?
    var frames: Int? = brands.isSequence ? nil : 1
    while try reader.hasMore() {
      let box = try Box(&reader, &parts)
      switch box.type {
      case .meta where info == nil:
        info = try ItemStore(box.content, &parts).info(format, limits)
      case .moov where info == nil || brands.isSequence:
        let track = try PictureTrack.first(in: box.content, &parts)
        if let track { try limits.checkPixels(width: track.width, height: track.height, at: box.offset) }
        frames = track?.sampleCount ?? frames
        info = info ?? track?.info(format)
      case .mini where info == nil:
        info = try MinimizedImage(box.content).info(format)
      default: break
      }
      if info != nil, frames != nil || !isCounting { break }
    }
    guard var info else {
      throw ImageError(.malformed, at: 0, "The file contains neither a picture nor a sequence.")
    }
    guard frames != nil || !isCounting else {
      // The track of a sequence follows its first picture.
      throw reader.endedEarly
    }
    info.mediaType = brands.mediaType
    info.frames = frames
    return info
  }
}

extension HEIF {
  /// The `ftyp` box, which lists what a reader must understand.
  struct Brands {
    private var major: FourCC
    private var all: [FourCC]
    var format: ImageFormat

    /// Reads the brands; nil when none of them is a picture format.
    init?(_ file: ByteReader) throws(ImageError) {
      var reader = file
      let size = try reader.uint32()
      guard try reader.fourCC() == .ftyp, (16...1024).contains(size) else { return nil }
      major = try reader.fourCC()
      all = [major]
      // In the short form, the minor version's field names the codec.
      let minor = try reader.fourCC()
      if major == .mif3 { all.append(minor) }
      while reader.position + 4 <= size { all.append(try reader.fourCC()) }
      let formats = all.compactMap(\.brandFormat)
      // A major brand that names a codec decides; otherwise the other brands do.
      guard let first = formats.first else { return nil }
      format =
        if let named = major.brandFormat, named != .heif { named } else {
          formats.first { $0 != .heif } ?? first
        }
    }

    /// Whether the file is primarily a sequence.
    var isSequence: Bool { major.isSequenceBrand }

    var mediaType: String {
      switch format {
      case .heic where isSequence: "image/heic-sequence"
      case .heif where isSequence: "image/heif-sequence"
      default: format.mediaType
      }
    }
  }
}

extension FourCC {
  static let ftyp = FourCC("ftyp")
  static let meta = FourCC("meta")
  static let moov = FourCC("moov")
  static let mini = FourCC("mini")
  fileprivate static let mif3 = FourCC("mif3")

  private static let avifBrands: Set<FourCC> = [FourCC("avif"), FourCC("avis"), FourCC("avio")]
  private static let heicBrands: Set<FourCC> = [
    FourCC("heic"), FourCC("heix"), FourCC("heim"), FourCC("heis"), FourCC("hevc"), FourCC("hevx"), FourCC("hevm"),
    FourCC("hevs"),
  ]
  private static let heifBrands: Set<FourCC> = [
    FourCC("mif1"), FourCC("mif2"), FourCC("mif3"), FourCC("msf1"), FourCC("miaf"), FourCC("avci"), FourCC("avcs"),
    FourCC("jpeg"), FourCC("jpgs"), FourCC("j2ki"), FourCC("j2is"), FourCC("vvic"), FourCC("vvis"), FourCC("evbi"),
    FourCC("evbs"),
  ]
  private static let sequenceBrands: Set<FourCC> = [
    FourCC("avis"), FourCC("hevc"), FourCC("hevx"), FourCC("hevm"), FourCC("hevs"), FourCC("msf1"), FourCC("avcs"),
    FourCC("jpgs"), FourCC("j2is"), FourCC("vvis"), FourCC("evbs"),
  ]

  fileprivate var brandFormat: ImageFormat? {
    if Self.avifBrands.contains(self) { return .avif }
    if Self.heicBrands.contains(self) { return .heic }
    return Self.heifBrands.contains(self) ? .heif : nil
  }

  fileprivate var isSequenceBrand: Bool { Self.sequenceBrands.contains(self) }
}

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

/// The short form of a picture file: a `mini` box in place of `meta`.
///
/// ISO/IEC 23008-12:2025, amendment 1.
struct MinimizedImage {
  private var width: Int
  private var height: Int
  private var orientation: ImageOrientation
  private var hasAlpha: Bool
  private var bitDepth: Int

  init(_ content: ByteReader) throws(ImageError) {
    let bits = try content.uint(bytes: 7, at: content.start)
    var left = 56
    func take(_ count: Int) -> Int {
      left -= count
      return Int(bits >> UInt64(left) & (1 << UInt64(count) - 1))
    }
    guard take(2) == 0 else {
      throw ImageError(.unsupported, at: content.start, "The short form has an unsupported version.")
    }
    _ = take(1)
    let isFloat = take(1) == 1
    _ = take(1)
    hasAlpha = take(1) == 1
    // Colour, HDR, ICC, EXIF and XMP flags.
    _ = take(5)
    let subsampling = take(2)
    orientation = ImageOrientation(rawValue: 1 + take(3)) ?? .up
    let sideBits = take(1) == 1 ? 15 : 7
    width = 1 + take(sideBits)
    height = 1 + take(sideBits)
    // Flags for the position of the colour samples: horizontal for 4:2:0 and 4:2:2, vertical for 4:2:0.
    if subsampling == 1 || subsampling == 2 { _ = take(1) }
    if subsampling == 1 { _ = take(1) }
    if isFloat {
      bitDepth = 16 << take(2)
    } else {
      bitDepth = take(1) == 1 ? 9 + take(3) : 8
    }
  }

  func info(_ format: ImageFormat) -> ImageInfo {
    ImageInfo(
      format: format, width: width, height: height, orientation: orientation, hasAlpha: hasAlpha, bitDepth: bitDepth)
  }
}
