public func run() {}
