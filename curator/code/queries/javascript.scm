; JavaScript alone
(field_definition) @value
(field_definition value: [(arrow_function) (function_expression)]) @function
(arrow_function parameters: (formal_parameters . (identifier) .) @paren)
