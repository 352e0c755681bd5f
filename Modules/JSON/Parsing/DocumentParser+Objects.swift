extension DocumentParser {
  /// Moves the names and values from `values` and `names` on into an object.
  mutating func closeObject(values valueStart: Int, names nameStart: Int) throws(ParseFailure) -> JSONObject {
    let objectHashes = hashes.take(from: nameStart)
    let count = objectHashes.count
    // Hashes that all differ are the common case, and comparing them is cheap while they are few.
    let mayHaveDuplicates = count > NameIndex.scanLimit || Self.hasEqualHashes(objectHashes)
    let objectNames = names.take(from: nameStart)
    let starts = mayHaveDuplicates && options.duplicateNames == .refuse ? objectNames.map(\.start) : []
    let objectValues = values.take(from: valueStart)
    let members = [JSONObject.Member](unsafeUninitializedCapacity: count) { storage, initialized in
      for place in 0..<count {
        storage.initializeElement(
          at: place,
          to: JSONObject.Member(
            name: objectNames.moveElement(from: place).text, value: objectValues.moveElement(from: place),
            hash: objectHashes[place]))
      }
      initialized = count
    }
    guard mayHaveDuplicates else { return JSONObject(members: members, index: NameIndex()) }
    let object = JSONObject(members: members, index: NameIndex(members))
    guard options.duplicateNames != .keepAll, let repeated = object.firstRepeatedName else { return object }
    guard options.duplicateNames != .refuse else { throw failure(.duplicateName, starts[repeated]) }
    var resolved = JSONObject()
    for member in members {
      if let known = resolved.position(of: member.name, hash: member.hash) {
        if options.duplicateNames == .keepLast { resolved.members[known].value = member.value }
      } else {
        resolved.append(member.name, member.value, hash: member.hash)
      }
    }
    return resolved
  }

  @inline(__always)
  private static func hasEqualHashes(_ hashes: UnsafeMutableBufferPointer<UInt32>) -> Bool {
    var equal = false
    var place = 1
    while place < hashes.count {
      let hash = hashes[place]
      for other in 0..<place where hashes[other] == hash { equal = true }
      place += 1
    }
    return equal
  }
}
