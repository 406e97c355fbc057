; C, and the definitions that C++ shares with it
(function_definition) @function
(struct_specifier name: (_) body: (_)) @type
(union_specifier name: (_) body: (_)) @type
(enum_specifier name: (_) body: (_)) @type
(type_definition) @type
(preproc_def) @value
(preproc_function_def) @function
(comment) @cut
(string_literal) @string
