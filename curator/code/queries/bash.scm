; Shells
(function_definition) @function
(comment) @cut
(string) @string
