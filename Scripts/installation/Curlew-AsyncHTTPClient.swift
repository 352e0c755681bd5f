// A request that names HTTP/2, which async-http-client sends where libcurl is too old, and one that does not.
import Curlew
import CurlewAsyncHTTPClientTransport
import Foundation

let server = ProcessInfo.processInfo.environment["CURLEW_NGINX_TLS"]!
let transports = TransportRegistry().adding("curl") { try .curl() }.adding("async-http-client") { .asyncHTTPClient() }
let session = HTTPSession().with { $0.transport = .made { transports } }
var options = RequestOptions()
options.version = .http2
let named = try await session.get(server + "/protocol", .string, options: options)
let plain = try await session.get(server + "/protocol", .string)
let isOld = !(try transports.transport(named: "curl").capabilities.contains(.http2))
print("libcurl is \(isOld ? "too old for" : "new enough for") HTTP/2; plain: \(plain.dropLast())")
print(named == "HTTP/2.0\n" ? "ok:" : "FAILED:", named.dropLast())
