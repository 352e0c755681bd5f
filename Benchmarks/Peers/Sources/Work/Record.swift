/// One kilobyte of JSON as an API sends it, from a file that `Scripts/bench` writes.
public struct Record: Decodable, Sendable {
  /// A member of the list in the record.
  public struct Sighting: Decodable, Sendable {
    var place: String
    var count: Int
    var latitude: Double
    var isConfirmed: Bool
  }

  var id: Int
  var name: String
  var tags: [String]
  var sightings: [Sighting]

  /// Whether all values are those of the file, so that none can be left undecoded.
  var isRight: Bool {
    id == 7 && name.hasPrefix("Numenius") && tags.count == 3 && sightings.count == 10
      && sightings.allSatisfy { !$0.place.isEmpty && $0.count > 0 && $0.latitude > 54 }
  }
}
