// The module's first test takes this file's place.
