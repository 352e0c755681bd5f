// Pictures as an image view loads them: each is asked for once, however many views want it, and then comes from the cache.

import Curlew

let pictures = HTTPSession().with { configuration in
  configuration.chain.caching = Caching(MemoryCacheStore(capacity: 64 << 20))
  configuration.headerFields[.accept] = "image/webp, image/png, image/jpeg"
}

/// Returns the bytes of a picture and what its header says, so that a view can make room before anything is decoded.
func picture(_ url: String) async throws -> EncodedImage { try await pictures.get(url, .image) }

let url = "https://www.swift.org/assets/images/swift.png"
async let first = picture(url)
async let second = picture(url)
for image in try await [first, second] {
  print(image.info.format, image.info.width, "x", image.info.height, "in", image.bytes.count, "bytes")
}
