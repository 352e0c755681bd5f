/// The items of a `meta` box: pictures, what they are made of, and their properties (ISO/IEC 23008-12 §6, §9).
struct ItemStore {
  /// What one item refers to, or is referred to by.
  struct Reference {
    var type: FourCC
    var from: Int
    var to: [Int]
  }

  private(set) var primaryItem = 0
  private var references: [Reference] = []
  private(set) var properties: [Box] = []
  /// The properties of the items, as places in the list from 1.
  private var associations: [Int: [Int]] = [:]
  /// The boxes that say where the bytes of items are, and those that hold some.
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
          // Associations have 15 bits for the place of a property.
          guard properties.count < 0x7FFF else {
            throw ImageError(.tooManyParts, at: box.offset, "There are more properties than can be numbered.")
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
        // The first bit says whether a reader must know the property.
        indices.append(try flags & 1 == 1 ? content.uint16() & 0x7FFF : content.uint8() & 0x7F)
      }
      // An item is listed once (§9.3.1); a second list is not added up.
      if associations[item] == nil { associations[item] = indices }
    }
  }

  /// The properties of an item, in the order they apply.
  func properties(of item: Int) -> [Box] {
    associations[item, default: []].compactMap { index in
      index > 0 && index <= properties.count ? properties[index - 1] : nil
    }
  }

  /// The first item a derived item is made of, nil for a coded one.
  func firstInput(of item: Int) -> Int? {
    references.first { $0.type == .dimg && $0.from == item }?.to.first
  }

  /// The items that say of themselves that they belong to another, as alpha planes do.
  func auxiliaryItems(of item: Int) -> [Int] {
    references.filter { $0.type == .auxl && $0.to.contains(item) }.map(\.from)
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
