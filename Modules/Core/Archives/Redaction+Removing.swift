import FoundationEssentials
import HTTPTypes

extension Redaction {
  /// Removes the fields that hold secrets, and the secrets in fields that hold URLs.
  ///
  /// Returns what was removed.
  func removeSecrets(from fields: inout HTTPFields) -> [String] {
    var removed: [String] = []
    var kept = HTTPFields()
    for field in fields {
      if self.fields.contains(field.name) {
        removed.append(field.name.canonicalName)
      } else if Self.fieldsOfURLs.contains(field.name) {
        let (text, items) = withoutSecrets(field.value)
        removed += items
        kept.append(HTTPField(name: field.name, value: text))
      } else {
        kept.append(field)
      }
    }
    if !removed.isEmpty { fields = kept }
    return removed
  }

  /// Removes user information and the secret items of query and fragment from a URL.
  ///
  /// Returns what was removed.
  func removeSecrets(from url: inout URL) -> [String] {
    let (text, removed) = withoutSecrets(url.absoluteString)
    guard !removed.isEmpty else { return [] }
    // A URL that no longer parses once its secrets are removed is left out entirely.
    url = URL(string: text) ?? URL(filePath: "/")
    return removed
  }

  private func withoutSecrets(_ reference: String) -> (text: String, removed: [String]) {
    var text = reference
    var removed: [String] = []
    if let userInformation = userInformation(in: text) {
      text.removeSubrange(userInformation)
      removed.append("user")
    }
    let fragment = text.firstIndex(of: "#") ?? text.endIndex
    let query = text[..<fragment].firstIndex(of: "?") ?? fragment
    func kept(_ part: Substring) -> String {
      let items = part.dropFirst().split(separator: "&", omittingEmptySubsequences: false)
      let rest = items.filter { item in
        guard let name = secretName(of: item) else { return true }
        removed.append(name)
        return false
      }
      guard rest.count < items.count else { return String(part) }
      return rest.isEmpty ? "" : part.prefix(1) + rest.joined(separator: "&")
    }
    let items = kept(text[query..<fragment])
    return (text[..<query] + items + kept(text[fragment...]), removed)
  }
}
