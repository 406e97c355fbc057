; Python: https://github.com/tree-sitter/tree-sitter-python
(function_definition) @function
(class_definition) @class
(type_alias_statement) @type
(module (expression_statement (assignment left: (identifier)) @value))
(class_definition body: (block (expression_statement (assignment left: (identifier)) @value)))
(comment) @cut
(line_continuation) @cut
(expression_statement . (string) @cut .)
(string) @string
(block) @block
(return_statement (parenthesized_expression) @paren)
(raise_statement (parenthesized_expression) @paren)
(assignment right: (parenthesized_expression) @paren)
(augmented_assignment right: (parenthesized_expression) @paren)
(assert_statement (parenthesized_expression) @paren)
(if_statement condition: (parenthesized_expression) @paren)
(elif_clause condition: (parenthesized_expression) @paren)
(while_statement condition: (parenthesized_expression) @paren)
(for_statement right: (parenthesized_expression) @paren)
(keyword_argument value: (parenthesized_expression) @paren)
(pair value: (parenthesized_expression) @paren)
(lambda body: (parenthesized_expression) @paren)
