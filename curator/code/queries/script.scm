; The definitions that JavaScript and TypeScript share
(function_declaration) @function
(generator_function_declaration) @function
(method_definition) @function
(variable_declarator value: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: (member_expression) right: [(arrow_function) (function_expression)]) @function
(pair key: [(property_identifier) (string)] value: [(arrow_function) (function_expression)]) @function
(pair key: (property_identifier) value: (object)) @scope
(class_declaration) @class
(program (lexical_declaration (variable_declarator name: (identifier)) @value))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier)) @value)))
(program (variable_declaration (variable_declarator name: (identifier)) @value))
(comment) @cut
(string) @string
(template_string) @string
(return_statement (parenthesized_expression) @paren)
(arrow_function body: (parenthesized_expression) @paren)
(variable_declarator value: (parenthesized_expression) @paren)
