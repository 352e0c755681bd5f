import FoundationEssentials

/// The files of a directory as nginx lists them (ngx_http_autoindex_module): one link each.
struct Listing {
  /// The names of the files, without directories.
  let files: [String]

  /// Reads the listing, an HTML page.
  init(_ page: String) {
    files = page.split(separator: "<a href=\"", omittingEmptySubsequences: false).dropFirst().compactMap {
      text -> String? in
      guard let end = text.firstIndex(of: "\""), let url = URL(string: "http://host/" + text[..<end]) else {
        return nil
      }
      // A directory ends with a slash, and a name has none: whatever the page says, no file is outside the directory.
      let name = String(url.path.dropFirst())
      guard text[..<end].last != "/", !name.isEmpty, !name.contains("/"), !name.hasPrefix("."), !name.utf8.contains(0)
      else { return nil }
      return name
    }
  }
}
