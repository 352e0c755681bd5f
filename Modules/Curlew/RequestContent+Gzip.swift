extension RequestContent {
  /// Returns this content compressed with gzip, for a server that accepts it.
  ///
  /// Bytes that would not become smaller are sent unchanged. The length of a compressed file or stream is not known in
  /// advance.
  ///
  /// ```swift
  /// try await session.post("sightings", .json(["curlew", "heron"]).gzipped())
  /// ```
  ///
  /// - Parameter level: The level of compression, 1 (fast) to 9 (small); other values become the nearest.
  public func gzipped(level: Int = 6) -> RequestContent {
    RequestContent { request, session in
      var request = try written(to: request, session)
      try request.compressBody(level: level)
      return request
    }
  }
}
