/// The items of a `meta` box and their properties (ISO/IEC 23008-12 §6, §9).
///
/// Items are pictures, or parts that pictures consist of.
struct ItemStore {
  /// A reference from one item to others.
  struct Reference {
    var type: FourCC
    var from: Int
    var to: [Int]
  }

  private(set) var primaryItem = 0
  private var references: [Reference] = []
  private(set) var properties: [Box] = []
  /// The properties of each item, as positions in the property list from 1.
  private var associations: [Int: [Int]] = [:]
  /// The boxes that locate the items' bytes, and the box that contains some of them.
  private(set) var locations: ByteReader?
  private(set) var itemData: ByteReader?

  init(_ meta: ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    var reader = meta
    _ = try Box.version(&reader)
    while try reader.hasMore() {
      var box = try Box(&reader, &parts)
      switch box.type {
      case .pitm:
        let (version, _) = try Box.version(&box.content)
        primaryItem = try version == 0 ? box.content.uint16() : box.content.uint32()
      case .iref: try readReferences(box.content, &parts)
      case .iprp: try readProperties(box.content, &parts)
      case .iloc: locations = box.content
      case .itemDataBox: itemData = box.content
      default: break
      }
    }
  }

  private mutating func readReferences(_ content: ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    var content = content
    let (version, _) = try Box.version(&content)
    let size = version == 0 ? 2 : 4
    while try content.hasMore() {
      var entry = try Box(&content, &parts)
      guard entry.type == .auxl || entry.type == .dimg else { continue }
      let from = try entry.content.length(bytes: size)
      var reference = Reference(type: entry.type, from: from, to: [])
      for _ in 0..<(try entry.content.uint16()) { reference.to.append(try entry.content.length(bytes: size)) }
      references.append(reference)
    }
  }

  private mutating func readProperties(_ content: ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    var content = content
    while try content.hasMore() {
      var box = try Box(&content, &parts)
      switch box.type {
      case .ipco:
        while try box.content.hasMore() {
          // An association has 15 bits for the position of a property.
          guard properties.count < 0x7FFF else {
            throw ImageError(.tooManyParts, at: box.offset, "There are more than 32,767 properties.")
          }
          properties.append(try Box(&box.content, &parts))
        }
      case .ipma: try readAssociations(&box.content, &parts)
      default: break
      }
    }
  }

  private mutating func readAssociations(
    _ content: inout ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) {
    let (version, flags) = try Box.version(&content)
    for _ in 0..<(try content.uint32()) {
      try parts.count(at: content.position)
      let item = try version < 1 ? content.uint16() : content.uint32()
      var indices: [Int] = []
      for _ in 0..<(try content.uint8()) {
        // The first bit says whether a reader must understand the property.
        indices.append(try flags & 1 == 1 ? content.uint16() & 0x7FFF : content.uint8() & 0x7F)
      }
      // An item is listed once (§9.3.1); a second list is ignored.
      if associations[item] == nil { associations[item] = indices }
    }
  }

  /// Returns the properties of an item in the order of application.
  func properties(of item: Int) -> [Box] {
    associations[item, default: []].compactMap { index in
      index > 0 && index <= properties.count ? properties[index - 1] : nil
    }
  }

  /// Returns the first input of a derived item; nil for a coded item.
  func firstInput(of item: Int) -> Int? {
    references.first { $0.type == .dimg && $0.from == item }?.to.first
  }

  /// Returns all inputs of some derived items.
  func inputs(of items: Set<Int>) -> Set<Int> {
    var inputs: Set<Int> = []
    for reference in references where reference.type == .dimg && items.contains(reference.from) {
      inputs.formUnion(reference.to)
    }
    return inputs
  }

  /// Returns the items that are auxiliary to the given ones, such as alpha planes.
  func auxiliaryItems(of items: Set<Int>) -> [Int] {
    references.filter { $0.type == .auxl && $0.to.contains(where: items.contains) }.map(\.from)
  }
}

extension FourCC {
  fileprivate static let pitm = FourCC("pitm")
  fileprivate static let iref = FourCC("iref")
  fileprivate static let iprp = FourCC("iprp")
  fileprivate static let ipco = FourCC("ipco")
  fileprivate static let ipma = FourCC("ipma")
  fileprivate static let iloc = FourCC("iloc")
  fileprivate static let itemDataBox = FourCC("idat")
  fileprivate static let dimg = FourCC("dimg")
  fileprivate static let auxl = FourCC("auxl")
}

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

/// One box of the ISO base media file format (ISO/IEC 14496-12 §4.2).
struct Box {
  var offset: Int
  var type: FourCC
  var content: ByteReader

  /// Reads the header of a box and moves past the box.
  ///
  /// The bytes of its content need not be available.
  init(_ reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    try parts.count(at: reader.position)
    reader.order = .bigEndian
    offset = reader.position
    var size = try reader.uint32()
    type = try reader.fourCC()
    var headerSize = 8
    if size == 1 {
      size = try reader.length(bytes: 8)
      headerSize = 16
    } else if size == 0 {
      // The box reaches to the end of the file, or of the box that contains it.
      content = reader.takeRest()
      return
    }
    guard size >= headerSize else {
      throw ImageError(.malformed, at: offset, "A box is smaller than its header.")
    }
    content = try reader.take(size - headerSize)
  }

  /// Reads the version and flags of a full box from its content.
  static func version(_ content: inout ByteReader) throws(ImageError) -> (version: Int, flags: Int) {
    let word = try content.uint32()
    return (word >> 24, word & 0xFF_FFFF)
  }

  /// Returns the first box of a type from the position on; nil if no box has it.
  static func first(
    _ type: FourCC, in container: ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) -> Box? {
    var container = container
    while try container.hasMore() {
      let box = try Box(&container, &parts)
      if box.type == type { return box }
    }
    return nil
  }

  /// Returns the content of a box several levels down; nil when a level is missing.
  static func content(
    of path: [FourCC], in container: ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) -> ByteReader? {
    var content = container
    for type in path {
      guard let box = try first(type, in: content, &parts) else { return nil }
      content = box.content
    }
    return content
  }
}
