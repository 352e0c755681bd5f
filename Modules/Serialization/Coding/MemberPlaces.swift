/// An index of encoded members by the bytes of their names.
///
/// An encoder uses it when a type requests a container for a key that may already have one. It indexes members only
/// then, because most types never do that.
package struct MemberPlaces {
  /// Up to this many members, a linear search is faster than an index.
  private static let scanLimit = 8

  private var places: [ExactString: Int] = [:]
  /// The number of members that have been indexed so far.
  private var indexed = 0

  /// Creates an empty index.
  package init() {}

  /// Returns the index of the last member with a name; nil if no member has it.
  ///
  /// - Parameters:
  ///   - count: The number of members, which never decreases.
  ///   - nameAt: Returns the name of the member at an index.
  package mutating func place(of name: String, among count: Int, nameAt: (Int) -> String) -> Int? {
    guard count > Self.scanLimit else {
      return (0..<count).last { ExactString.areEqual(nameAt($0), name) }
    }
    while indexed < count {
      places[ExactString(nameAt(indexed))] = indexed
      indexed += 1
    }
    return places[ExactString(name)]
  }
}
