; Go
(function_declaration) @function
(method_declaration) @function
(method_elem) @function
(type_spec) @type
(type_alias) @type
(source_file (const_declaration (const_spec) @value))
(source_file (var_declaration (var_spec) @value))
(source_file (var_declaration (var_spec_list (var_spec) @value)))
(comment) @cut
(interpreted_string_literal) @string
(raw_string_literal) @string
