/// The result of `body`, or nil and its problem among the others.
@discardableResult
func collect<T>(_ problems: inout [InputProblem], _ body: () throws(InputProblem) -> T) -> T? {
    do throws(InputProblem) {
        return try body()
    } catch {
        problems.append(error)
        return nil
    }
}
