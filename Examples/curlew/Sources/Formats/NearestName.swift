/// Finds what someone meant who mistyped a name.
enum NearestName {
  /// Returns the name that differs in the fewest letters; nil if none is near.
  static func of(_ name: String, among names: [String]) -> String? {
    let given = name.lowercased()
    let distances = names.map {
      (name: $0, letters: distance(Array($0), Array(given)), begins: $0.first == given.first)
    }
    // Of equally near names, the one with the same first letter: people rarely mistype it.
    let nearest = distances.min { ($0.letters, $0.begins ? 0 : 1) < ($1.letters, $1.begins ? 0 : 1) }
    return nearest.flatMap { isNear($0.name, to: given) ? $0.name : nil }
  }

  /// Whether two names differ in two letters at most, and in a third of the mistyped name's.
  ///
  /// Of an option, the dashes do not count.
  static func isNear(_ name: String, to given: String) -> Bool {
    let (name, given) = (name.drop { $0 == "-" }, given.lowercased().drop { $0 == "-" })
    return distance(Array(name), Array(given)) <= min(2, max(1, given.count / 3))
  }

  /// Returns how many letters to insert, remove, replace or swap with their neighbour.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
