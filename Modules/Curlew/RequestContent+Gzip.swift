extension RequestContent {
  /// Returns this content coded with gzip, for a server that is known to accept it.
  ///
  /// Content that would not become smaller is sent as it is. Of a file or a stream the length is not known beforehand.
  ///
  /// ```swift
  /// try await session.post("sightings", .json(["curlew", "heron"]).gzipped())
  /// ```
  ///
  /// - Parameter level: How hard it tries, 1 (fast) to 9 (small); others count as the nearest.
  public func gzipped(level: Int = 6) -> RequestContent {
    RequestContent { request, session in
      var request = try written(to: request, session)
      try request.compressBody(level: level)
      return request
    }
  }
}
