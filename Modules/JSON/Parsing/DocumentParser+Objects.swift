extension DocumentParser {
  /// Creates an object from the names and values above the given stack positions.
  mutating func closeObject(values valueStart: Int, names nameStart: Int) throws(ParseFailure) -> JSONObject {
    let objectHashes = hashes.take(from: nameStart)
    let count = objectHashes.underestimatedCount
    // Usually all hashes differ, and comparing a few of them is cheap.
    let mayHaveDuplicates = count > NameIndex.scanLimit || Self.hasEqualHashes(objectHashes.position, count: count)
    let objectNames = names.take(from: nameStart)
    let starts = mayHaveDuplicates && duplicateNames == .refuse ? objectNames.starts : []
    let members = [JSONObject.Member](
      TakenMembers(names: objectNames, hashes: objectHashes, values: values.take(from: valueStart)))
    guard mayHaveDuplicates else { return JSONObject(members: members, index: NameIndex()) }
    var object = JSONObject(members: members, index: NameIndex(members))
    guard let repeated = object.firstRepeatedName else { return object }
    guard duplicateNames != .keepAll else {
      object.index.hasRepeatedNames = true
      return object
    }
    guard duplicateNames != .refuse else { throw reader.failure(.duplicateName, starts[repeated]) }
    var resolved = JSONObject()
    for member in members {
      if let known = resolved.position(of: member.name, hash: member.hash) {
        if duplicateNames == .keepLast { resolved.members[known].value = member.value }
      } else {
        resolved.append(member.name, member.value, hash: member.hash)
      }
    }
    return resolved
  }

  private static func hasEqualHashes(_ hashes: UnsafePointer<UInt32>, count: Int) -> Bool {
    var place = 1
    var equal: UInt32 = 0
    while place < count {
      let hash = hashes[place]
      for other in 0..<place { equal |= hashes[other] == hash ? 1 : 0 }
      place += 1
    }
    return equal != 0
  }
}

extension TakenElements where Element == DocumentParser.Name {
  /// The position of each name in the text.
  fileprivate var starts: [UnsafePointer<UInt8>] {
    (0..<underestimatedCount).map { position[$0].start }
  }
}

/// Combines names and values into members while they move into an object.
private struct TakenMembers: Sequence, IteratorProtocol {
  var names: TakenElements<DocumentParser.Name>
  var hashes: TakenElements<UInt32>
  var values: TakenElements<JSONValue>

  var underestimatedCount: Int { names.underestimatedCount }

  mutating func next() -> JSONObject.Member? {
    guard let name = names.next(), let hash = hashes.next(), let value = values.next() else { return nil }
    return JSONObject.Member(name: name.text, value: value, hash: hash)
  }
}
