//! Compares compile errors with those of kube-apiserver 1.37, and checks that similar valid expressions are accepted.
#![allow(clippy::unwrap_used)]

use kube_codegen_cel::{Program, Type, escape};

fn variables() -> [(&'static str, Type); 1] {
    let names = ["a", "b-c", "a__b", "__x", "namespace", "h___i"];
    let fields = names.map(|name| (escape(name).unwrap(), Type::STRING));
    let others = [
        ("any".to_owned(), Type::Dyn),
        ("m".to_owned(), Type::map(Type::STRING, Type::STRING)),
    ];
    [(
        "self",
        Type::object("object", fields.into_iter().chain(others)),
    )]
}

/// Returns what is wrong, each without the name of the input; empty if nothing is.
fn problems(source: &str) -> String {
    let brief = |problems: &[kube_codegen_cel::Problem]| {
        let lines = problems.iter().map(kube_codegen_cel::Problem::brief);
        let lines: Vec<_> = lines
            .map(|it| it.replace("ERROR: <input>:1:", ""))
            .collect();
        lines.join("; ")
    };
    let program = match Program::compile(source) {
        Ok(program) => program,
        Err(why) => return brief(why.problems()),
    };
    match program.check(&variables()) {
        Ok(_) => program.unplanned().unwrap_or_default(),
        Err(why) => brief(why.problems()),
    }
}

#[track_caller]
fn compare(answers: &[(&str, &str)]) {
    let differing = answers.iter().filter_map(|(source, expected)| {
        let found = problems(source);
        (found != *expected).then(|| format!("{source}\n  here: {found}\n  server: {expected}"))
    });
    let differing: Vec<_> = differing.collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn the_items_of_a_literal_have_one_type() {
    compare(&[
        (
            "[1,'a'].size()==2",
            "4: expected type 'int' but found 'string'",
        ),
        (
            "[1,'a','b',2].size()==4",
            "4: expected type 'int' but found 'string'",
        ),
        (
            "{1:2,'a':3}.size()==2",
            "6: expected type 'int' but found 'string'",
        ),
        (
            "{'a':3,'b':'c'}.size()==2",
            "12: expected type 'int' but found 'string'",
        ),
        (
            "[null,1].size()==2",
            "7: expected type 'null' but found 'int'",
        ),
        (
            "[1,dyn('a')].size()==2",
            "7: expected type 'int' but found 'dyn'",
        ),
        (
            "[self.any,1].size()==2",
            "11: expected type 'dyn' but found 'int'",
        ),
        (
            "[[1],['a']].size()==2",
            "6: expected type 'list(int)' but found 'list(string)'",
        ),
        (
            "[[1],[dyn(1)]].size()==2",
            "6: expected type 'list(int)' but found 'list(dyn)'",
        ),
        (
            "[[[],[1]],[['a']]].size()==2",
            "11: expected type 'list(list(int))' but found 'list(list(string))'",
        ),
        (
            "[?optional.of('a'),1].size()==2",
            "20: expected type 'string' but found 'int'",
        ),
        (
            "[type(1),type('a')].size()==2",
            "14: expected type 'type(int)' but found 'type(string)'",
        ),
        (
            "[1,'a'].exists(x,x==1)",
            "4: expected type 'int' but found 'string'",
        ),
        (
            "{'a':1,1:'x','c':'y'}.size()==2",
            "8: expected type 'string' but found 'int'; 10: expected type 'int' but found 'string'; 18: expected type 'int' but found 'string'",
        ),
        (
            "duration('x')==duration('1s') && [1,'a'].size()==1",
            "10: invalid duration argument; 37: expected type 'int' but found 'string'",
        ),
        // What is wrong with types is all that the server says.
        ("[1,'a'].size()==2 && self.q", "26: undefined field 'q'"),
        ("[[],[1]].size()==2", ""),
        ("[{},{'a':1}].size()==2", ""),
        ("{'a':[1],'b':[]}.size()==2", ""),
        ("[?optional.of(1),1].size()==2", ""),
        ("[optional.none(),optional.of(1)].size()==2", ""),
        ("[self.any,true ? self.any : 'x'].size()==2", ""),
        ("[[][0]].size()==1 && [].all(x, x.y)", ""),
        // `format` takes all types.
        ("'%s %d'.format(['a',1])=='a 1'", ""),
        ("'%s'.format([[1,'a']])=='a'", ""),
    ]);
}

#[test]
fn operands_of_and_and_or_are_checked_one_by_one() {
    compare(&[
        ("[1].all(x,x)", "11: expected type 'bool' but found 'int'"),
        (
            "['a'].exists(x,x)",
            "16: expected type 'bool' but found 'string'",
        ),
        ("1&&true", "1: expected type 'bool' but found 'int'"),
        ("true||1", "7: expected type 'bool' but found 'int'"),
        (
            "[1].all(x)",
            "8: undeclared reference to 'all' (in container ''); 9: undeclared reference to 'x' (in container '')",
        ),
        ("[dyn(1)].all(x,x)", ""),
    ]);
}

#[test]
fn literal_patterns_of_find_are_compiled_with_the_rule() {
    const OPEN: &str = "error parsing regexp: missing closing ]: `[`";
    compare(&[
        ("self.a.find('[')==''", OPEN),
        ("self.a.findAll('[').size()==0", OPEN),
        ("self.a.findAll('[',1).size()==0", OPEN),
        ("false && self.a.find('[') + self.a.find('(')==''", OPEN),
        ("[self.a].exists(x,x.find('[')=='')", OPEN),
        (
            "self.a.find('a{1001}')==''",
            "error parsing regexp: invalid repeat count: `{1001}`",
        ),
        ("self.a.find('[' + 'a')==''", ""),
        ("self.a.replace('[','')==''", ""),
        ("self.a.split('[').size()==1", ""),
    ]);
}

#[test]
fn fields_have_escaped_and_quoted_names() {
    compare(&[
        ("self.a__b=='x'", "5: undefined field 'a__b'"),
        ("self.__x=='x'", "5: undefined field '__x'"),
        ("self.h___i=='x'", "5: undefined field 'h___i'"),
        ("self.`b-c`=='x'", "5: undefined field 'b-c'"),
        (
            "self.a__underscores__b=='x' && self.__underscores__x=='x'",
            "",
        ),
        (
            "self.namespace=='x' && self.`namespace`=='x' && self.__namespace__=='x'",
            "",
        ),
        ("self.`a`=='x' && has(self.`a`) && self.?`a`.hasValue()", ""),
        (
            "self.m.`x y`=='x' && has(self.m.`x/y`) && {'a':1}.`a`==1",
            "",
        ),
    ]);
}

#[test]
fn literals_without_a_value_have_the_words_of_the_server() {
    compare(&[
        ("'\\ud800'=='x'", "1: invalid unicode code point"),
        ("'\\U00110000'=='x'", "1: invalid unicode code point"),
        ("b'\\ud800'==b'x'", "1: unable to unescape string"),
    ]);
}

#[test]
fn a_quoted_name_has_a_value() {
    let object = kube_codegen_cel::Value::from(&serde_json::json!({"m": {"x y": "z"}}));
    for source in [
        "self.m.`x y`=='z'",
        "has(self.m.`x y`)",
        "self.?m.?`x y`.orValue('')=='z'",
    ] {
        let program = Program::compile(source).unwrap();
        let result = program.evaluate(&[("self", &object)], 1000).result.unwrap();
        assert_eq!(result.as_bool(), Some(true), "{source}");
    }
}
