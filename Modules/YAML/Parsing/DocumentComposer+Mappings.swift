extension DocumentComposer {
  /// Creates the mapping of a frame from its keys and values, and removes those.
  mutating func closeMapping(_ frame: Frame) throws(YAMLError) -> YAMLMapping {
    let members = values.takeMembers(from: frame.start)
    let firstMark = keyMarks.count - members.count
    if let place = KeySet.firstRepeated(members) { throw YAMLError(.duplicateKey, at: keyMarks[firstMark + place]) }
    let merged = frame.hasMerges ? try merging(members, frame, firstMark) : members
    keyMarks.removeLast(members.count)
    return YAMLMapping(distinct: merged)
  }

  /// Returns the members, with those merged by `<<` (YAML 1.1, merge key type).
  ///
  /// The mapping's own keys win over merged ones, and earlier merged keys over later ones.
  private mutating func merging(
    _ written: [YAMLMapping.Member], _ frame: Frame, _ firstMark: Int
  ) throws(YAMLError) -> [YAMLMapping.Member] {
    var mergePlaces: Set<Int> = []
    while let last = merges.last, last >= frame.start {
      mergePlaces.insert((last - frame.start) / 2)
      merges.removeLast()
    }
    let own = YAMLMapping(distinct: written.enumerated().filter { !mergePlaces.contains($0.offset) }.map(\.element))
    var result = YAMLMapping()
    result.reserveCapacity(written.count)
    for place in written.indices {
      guard mergePlaces.contains(place) else {
        result.append(written[place].key, written[place].value, hash: written[place].hash)
        continue
      }
      let mark = keyMarks[firstMark + place]
      for source in try Self.sources(written[place].value, at: mark) {
        try expand(by: source.count, at: mark)
        for member in source.members
        where own.position(of: member.key, hash: member.hash) == nil
          && result.position(of: member.key, hash: member.hash) == nil
        {
          result.append(member.key, member.value, hash: member.hash)
        }
      }
    }
    return result.members
  }

  private static func sources(_ value: YAMLValue, at mark: Mark) throws(YAMLError) -> [YAMLMapping] {
    switch value.untagged {
    case .mapping(let mapping): return [mapping]
    case .sequence(let elements):
      var mappings: [YAMLMapping] = []
      for element in elements {
        guard let mapping = element.mappingValue else { throw YAMLError(.invalidMerge, at: mark) }
        mappings.append(mapping)
      }
      return mappings
    default: throw YAMLError(.invalidMerge, at: mark)
    }
  }
}

/// Finds duplicate keys.
enum KeySet {
  /// Returns the index of the first member whose key occurs earlier, if any.
  static func firstRepeated(_ members: [YAMLMapping.Member]) -> Int? {
    guard members.count > 1 else { return nil }
    return members.withUnsafeBufferPointer { members in
      members.count <= KeyIndex.scanLimit ? scan(members) : lookUp(members)
    }
  }

  private static func scan(_ members: UnsafeBufferPointer<YAMLMapping.Member>) -> Int? {
    for place in 1..<members.count {
      let hash = members[place].hash
      for other in 0..<place where members[other].hash == hash && members[other].key == members[place].key {
        return place
      }
    }
    return nil
  }

  private static func lookUp(_ members: UnsafeBufferPointer<YAMLMapping.Member>) -> Int? {
    var slotCount = 128
    while slotCount < members.count * 2 { slotCount *= 2 }
    var slots = [UInt32](repeating: 0, count: slotCount)
    let mask = slotCount - 1
    for place in members.indices {
      var slot = Int(members[place].hash) & mask
      while slots[slot] != 0 {
        let other = Int(slots[slot]) - 1
        if members[other].hash == members[place].hash, members[other].key == members[place].key { return place }
        slot = (slot + 1) & mask
      }
      slots[slot] = UInt32(truncatingIfNeeded: place + 1)
    }
    return nil
  }
}
