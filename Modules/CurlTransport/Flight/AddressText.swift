import Glibc

/// Converts addresses and ports to text, and caches the last one.
///
/// All requests on a connection have the same address.
struct AddressText {
  private var host: [CChar] = []
  private var port: Int32 = 0
  private var text = ""

  mutating func callAsFunction(_ host: UnsafePointer<CChar>, _ port: Int32) -> String {
    if port == self.port, !self.host.isEmpty, strcmp(host, self.host) == 0 { return text }
    let name = String(cString: host)
    text = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]:\(port)" : "\(name):\(port)"
    self.host = Array(UnsafeBufferPointer(start: host, count: strlen(host) + 1))
    self.port = port
    return text
  }
}
