; TypeScript alone
(abstract_class_declaration) @class
(interface_declaration) @type
(type_alias_declaration) @type
(enum_declaration) @type
(function_signature) @function
(method_signature) @function
(abstract_method_signature) @function
(public_field_definition) @value
(public_field_definition value: [(arrow_function) (function_expression)]) @function
(internal_module) @scope
(arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) !type !value) .) @paren)
(union_type . "|" @cut)
