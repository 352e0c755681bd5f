import CurlewBatch
import Testing

struct BatchProgressTests {
  @Test func `items of unknown size count as the mean of the known`() {
    var progress = BatchProgress()
    progress.items = 4
    progress.sizedItems = 2
    progress.sizedBytes = 300
    #expect(progress.fraction == 0)
    progress.partialBytes = 60
    #expect(progress.fraction == 0.1)
    progress.endedItems = 2
    progress.endedSizedItems = 1
    progress.endedBytes = 100
    progress.partialBytes = 50
    // 100 bytes and a mean of 150 have ended, and 50 bytes are there, of twice 300.
    #expect(progress.fraction == 0.5)
  }

  @Test func `a batch of empty or unknown items advances by items`() {
    var progress = BatchProgress()
    #expect(progress.fraction == 1)
    progress.items = 4
    progress.endedItems = 1
    #expect(progress.fraction == 0.25)
    progress.sizedItems = 4
    progress.endedSizedItems = 1
    #expect(progress.fraction == 0.25)
    progress.endedItems = 4
    #expect(progress.fraction == 1)
  }
}
