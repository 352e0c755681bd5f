import CurlewCore

/// What `--version` prints.
enum Version {
  static let text = "curlew 0.1.0"
}
