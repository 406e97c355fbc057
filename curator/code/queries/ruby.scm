; Ruby
(method) @function
(singleton_method) @function
(class) @class
(module) @class
(program (assignment left: (constant)) @value)
(class body: (body_statement (assignment left: (constant)) @value))
(comment) @cut
(string) @string
