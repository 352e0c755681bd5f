// A loader that decodes content, follows redirects, keeps cookies, answers challenges and caches.

import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity

let transport = try CurlTransport()
let chain = InterceptorChain(
  decoding: ContentDecoding(), redirect: Redirect(), cookies: Cookies(MemoryCookieJar()),
  authentication: Authentication(), caching: Caching(MemoryCacheStore()))
let loader = Loader(transport, chain: chain)

let response = try await loader.load(Request(.get, "https://www.swift.org/"))
let page = try await response.body.collect(upTo: 1 << 20)
print(response.head.status, "with", page.count, "bytes")

await transport.shutdown()
