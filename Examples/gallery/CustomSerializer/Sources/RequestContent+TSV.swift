import Curlew

extension RequestContent {
  /// A table in tab-separated values: `session.post("sightings", .tsv(["place", "count"], rows))`.
  ///
  /// The call fails with `serializationFailed` if a field contains a tab or a line break, which the format cannot represent.
  static func tsv(_ names: [String], _ rows: [[String]]) -> RequestContent {
    RequestContent { request, session in
      let lines = try ([names] + rows).enumerated().map { index, fields in
        guard fields.count == names.count else {
          throw TSVError(line: index + 1, problem: "found \(fields.count) fields, expected \(names.count)")
        }
        guard !fields.contains(where: { $0.contains { $0 == "\t" || $0.isNewline } }) else {
          throw TSVError(line: index + 1, problem: "a field contains a tab or a line break")
        }
        return fields.joined(separator: "\t") + "\n"
      }
      return try RequestContent.text(lines.joined(), as: .tsv).written(to: request, session)
    }
  }
}
